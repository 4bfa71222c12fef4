import { randomBytes } from "node:crypto";
import { parse, parseDocument } from "yaml";
import { MoietyError } from "../errors.js";
import {
  AnalystClient,
  type FetchedResult,
  type ForeseenVerdict,
  foresee,
  type PublishedPolicy,
} from "../federation/analyst/client.js";
import { cardOf, federatedAlgorithms } from "../federation/consent/card.js";
import type { JobView } from "../federation/coordinator/job.js";
import type { Kit } from "../federation/identity/kit.js";
import type { Dialling } from "../federation/transport/types.js";
import { formatBytes } from "../report/federation.js";
import { formatNumber, formatPeopleBeyond, formatSeconds } from "../report/format.js";
import { jobPage } from "../report/job-page.js";
import type { Language } from "../report/language.js";
import { serveLive } from "./live-page.js";
import type { LocalServer } from "./local-server.js";
import type { Login } from "./login.js";
import { reportBody } from "./report-body.js";

/** What an analyst's page shows. */
export interface AnalystState {
  readonly analyst: string;
  readonly federation: string;
  readonly coordinator: string;
  readonly parties: readonly string[];
  readonly algorithms: readonly string[];
  readonly draft: string | null;
  /** The latest first. */
  readonly jobs: readonly JobView[];
}

/** A job while it is written. */
export interface CheckedJob {
  readonly fault: string | null;
  /** What the text says, for the form; null where it is no YAML. */
  readonly fields: Readonly<Record<string, unknown>> | null;
  /** What the sites would say; empty while the job has a fault. */
  readonly sites: readonly ForeseenVerdict[];
  /** The columns that sites allow, where they publish that. */
  readonly columns: Readonly<
    Record<string, { readonly features: readonly string[]; readonly protect: readonly string[] }>
  >;
}

export interface JobComparison {
  /** Titles of the two jobs. */
  readonly jobs: readonly string[];
  readonly rows: readonly { readonly what: string; readonly values: readonly string[] }[];
}

/** Milliseconds for which published policies are taken as known: they are asked for while somebody types. */
const policiesKept = 5000;
/** In messages, for a text that is in no file. */
const source = "the job";

interface AnalystPageOptions {
  readonly kit: Kit;
  readonly dialling: Dialling;
  readonly port: number | undefined;
  /** The job to show first. */
  readonly job: string | undefined;
  /** What a new job begins with. */
  readonly draft: string | undefined;
  readonly clock: () => number;
  readonly login?: Login | undefined;
}

/** The page of an analyst, who writes jobs, follows them and reads their results. */
export function serveAnalyst(options: AnalystPageOptions): Promise<LocalServer> {
  const { kit, dialling, port, job, draft, clock, login } = options;
  let connecting: Promise<AnalystClient> | undefined;
  let known: { readonly at: number; readonly policies: Promise<PublishedPolicy[]> } | undefined;

  /** With a connection that is made when it is needed, and again after it was lost. */
  async function withClient<T>(work: (client: AnalystClient) => Promise<T>): Promise<T> {
    connecting ??= AnalystClient.connect(kit, dialling);
    try {
      return await work(await connecting);
    } catch (error) {
      // A question that was wrong is no reason to connect anew, but it does no harm either.
      if (!(error instanceof MoietyError) || error.code === "failed") {
        connecting?.then((client) => client.close()).catch(() => undefined);
        connecting = undefined;
      }
      throw error;
    }
  }

  function policies(): Promise<PublishedPolicy[]> {
    if (!known || clock() - known.at > policiesKept) {
      const asked = withClient((client) => client.policies(randomBytes)).catch(() => []);
      known = { at: clock(), policies: asked };
    }
    return known.policies;
  }

  async function state(): Promise<AnalystState> {
    const jobs = await withClient((client) => client.list());
    return {
      analyst: kit.name,
      federation: kit.federation,
      coordinator: `${kit.coordinator.host}:${kit.coordinator.port}`,
      parties: kit.members.flatMap(({ role, name }) => (role === "party" ? [name] : [])),
      algorithms: federatedAlgorithms,
      draft: draft ?? null,
      jobs: jobs.sort((a, b) => (a.submitted < b.submitted ? 1 : -1)),
    };
  }

  async function check({ text }: { readonly text: string }): Promise<CheckedJob> {
    const published = await policies();
    const columns = Object.fromEntries(
      published.flatMap(({ party, policy }) =>
        policy ? [[party, { features: policy.features, protect: policy.protect }]] : [],
      ),
    );
    try {
      const { federation, name } = kit;
      const card = cardOf(text, source, { federation, analyst: name, nonce: "0".repeat(32) });
      return { fault: null, fields: fieldsOf(text), sites: foresee(card, published), columns };
    } catch (error) {
      if (!(error instanceof MoietyError)) throw error;
      return { fault: error.message, fields: fieldsOf(text), sites: [], columns };
    }
  }

  async function result({ id, language }: { readonly id: string; readonly language?: Language }): Promise<string> {
    const fetched = await withClient((client) => client.fetch(id));
    return reportBody(jobPage(fetched, new Date(clock()).toISOString().slice(0, 10), language));
  }

  async function compare({ ids }: { readonly ids: readonly string[] }): Promise<JobComparison> {
    const results: FetchedResult[] = [];
    for (const id of ids) results.push(await withClient((client) => client.result(id)));
    return comparisonOf(ids, results);
  }

  return serveLive<AnalystState>(
    {
      state,
      answers: {
        check,
        change,
        submit: ({ text }: { readonly text: string }, person) =>
          withClient((client) => client.submit(text, source, randomBytes, person)),
        cancel: ({ id }: { readonly id: string }) => withClient((client) => client.cancel(id)),
        card: async ({ id }: { readonly id: string }) => (await withClient((client) => client.show(id))).card,
        result,
        compare,
      },
    },
    {
      page: "analyst.html",
      command: "moiety job page",
      port,
      login,
      ...(job === undefined ? {} : { opening: { job } }),
    },
  );
}

/** What a text says, as a form shows it. */
function fieldsOf(text: string): CheckedJob["fields"] {
  try {
    const value: unknown = parse(text, { maxAliasCount: 0 });
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

interface FieldChange {
  readonly text: string;
  readonly path: readonly string[];
  /** Undefined takes the field away. */
  readonly value?: unknown;
}

/** A job's text with one field changed; comments and order stay. */
function change({ text, path, value }: FieldChange): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw new MoietyError("input", "the text is not YAML: repair it first");
  if (value === undefined || value === "" || value === null) document.deleteIn(path);
  else document.setIn(path, document.createNode(value, { flow: true }));
  return document.toString();
}

/** Two results side by side. */
function comparisonOf(ids: readonly string[], fetched: readonly FetchedResult[]): JobComparison {
  const row = (what: string, value: (of: FetchedResult) => string) => ({ what, values: fetched.map(value) });
  return {
    jobs: ids,
    rows: [
      row("algorithm", ({ result }) => result.algorithm),
      row("clusters", ({ result }) => formatNumber(result.k)),
      row("people", ({ result }) => formatNumber(result.n)),
      row("delta", ({ card }) => formatNumber(card.delta)),
      row("seed", ({ result }) => formatNumber(result.seed)),
      row("verdict", ({ result }) => result.verdict ?? "nothing protected"),
      row("beyond the bounds", ({ result }) => formatPeopleBeyond(result.maxViolation)),
      row("SSE", ({ result }) => (Number.isFinite(result.sse) ? formatNumber(result.sse) : "not known")),
      row("smallest cluster", ({ result }) => formatNumber(Math.min(...result.sizes))),
      row("largest cluster", ({ result }) => formatNumber(Math.max(...result.sizes))),
      row("passes", ({ result }) => formatNumber(result.iterations)),
      row("rounds", ({ result }) => formatNumber(result.communication.rounds)),
      row("sent by the sites", ({ result }) => formatBytes(result.communication.bytesUp)),
      row("time", ({ result }) => formatSeconds(result.seconds.total)),
    ],
  };
}
