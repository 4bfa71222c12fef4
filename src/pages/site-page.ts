import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { auditFile } from "../federation/audit/audit-file.js";
import type { MemberAudit } from "../federation/audit/member-audit.js";
import { readEntries } from "../federation/audit/verify.js";
import { parsePolicy } from "../federation/consent/policy.js";
import type { Kit } from "../federation/identity/kit.js";
import type { DeskJob, JobOutlook, SiteBudget } from "../federation/party/desk.js";
import type { PartyService } from "../federation/party/service.js";
import { writeAtomically } from "../table/disk/index.js";
import { serveLive } from "./live-page.js";
import type { LocalServer } from "./local-server.js";
import type { Login } from "./login.js";
import type { RecentLine, RecentLines } from "./recent-lines.js";
import { reportBody } from "./report-body.js";

/** What a site's page shows. */
export interface SiteState {
  readonly site: string;
  readonly federation: string;
  readonly coordinator: string;
  readonly connected: boolean;
  readonly since: string;
  readonly jobs: readonly DeskJob[];
  readonly budget: SiteBudget;
  readonly policy: { readonly file: string; readonly text: string };
  /** Entries of the audit log: there is more in the journal when there are more of them. */
  readonly entries: number;
  readonly results: readonly SiteResult[];
  readonly lines: readonly RecentLine[];
}

/** The files of one job in the site's own results. */
interface SiteResult {
  readonly job: string;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

/** One kind of message that left the site, as its log has it. */
export interface Departed {
  readonly time: string;
  readonly job: string;
  readonly what: string;
  readonly protection: string;
  readonly messages: number;
  readonly bytes: number;
}

/** A policy while it is edited: what is wrong with it, and what it would say to the jobs that wait. */
export interface CheckedPolicy {
  readonly fault: string | null;
  readonly verdicts: Readonly<Record<string, JobOutlook["verdict"]>>;
}

export interface SitePageOptions {
  readonly kit: Kit;
  readonly service: PartyService;
  readonly audit: MemberAudit;
  readonly lines: RecentLines;
  readonly policyFile: string;
  readonly stateFolder: string;
  readonly resultsFolder: string;
  readonly port: number | undefined;
  readonly login?: Login | undefined;
}

/** Files of at most so many bytes go through a page; longer ones lie in the folder of results. */
const largestFile = 2 ** 26;
const fileNames = /^(labels\.csv|common\.csv|summary\.json|result\.json|model\.json|report\.html)$/;
const jobFolder = /^[0-9a-f]{12}$/;

/** The page of those who answer for a site's data. */
export function serveSite(options: SitePageOptions): Promise<LocalServer> {
  const { kit, service, audit, lines, policyFile } = options;
  const { desk } = service;
  const policyText = () => readFile(policyFile, "utf8").catch(() => "");

  async function state(): Promise<SiteState> {
    const { connected, since } = service.connection;
    return {
      site: kit.name,
      federation: kit.federation,
      coordinator: `${kit.coordinator.host}:${kit.coordinator.port}`,
      connected,
      since: new Date(since).toISOString(),
      jobs: await desk.jobs(),
      budget: await desk.budget(),
      policy: { file: policyFile, text: await policyText() },
      entries: audit.head.entries,
      results: await resultsIn(options.resultsFolder),
      lines: lines.list(),
    };
  }

  async function journal(): Promise<Departed[]> {
    const place = { path: auditFile(options.stateFolder), site: kit.name };
    return (await readEntries(kit, place)).flatMap(({ kind, time, details }) => {
      const { job, what, protection, messages, bytes } = details;
      if (kind !== "sent") return [];
      return [
        {
          time,
          job: String(job).slice(0, 12),
          what: String(what),
          protection: String(protection),
          messages: Number(messages),
          bytes: Number(bytes),
        },
      ];
    });
  }

  async function checkPolicy({ text }: { readonly text: string }): Promise<CheckedPolicy> {
    try {
      const policy = parsePolicy(text, "the policy");
      const waiting = (await desk.jobs()).filter((job) => job.state === "waiting");
      const verdicts = waiting.map(async ({ id }) => [id, (await desk.outlook(id, policy)).verdict] as const);
      return { fault: null, verdicts: Object.fromEntries(await Promise.all(verdicts)) };
    } catch (error) {
      if (error instanceof MoietyError) return { fault: error.message, verdicts: {} };
      throw error;
    }
  }

  /** `before` is the text that was edited: what somebody else has saved since is not lost. */
  async function savePolicy(
    { text, before }: { readonly text: string; readonly before: string },
    person = "the site's page",
  ): Promise<void> {
    parsePolicy(text, "the policy");
    if ((await policyText()) !== before) {
      throw new MoietyError(
        "usage",
        "the policy was changed meanwhile, here or elsewhere: look at it as it is now first",
      );
    }
    await writeAtomically(policyFile, (temporary) => writeFile(temporary, text));
    await audit.note("policy saved", { by: person });
  }

  async function file({ job, name }: { readonly job: string; readonly name: string }): Promise<string> {
    if (!jobFolder.test(job) || !fileNames.test(name)) throw new MoietyError("usage", "there is no such file");
    const path = join(options.resultsFolder, job, name);
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    if (size > largestFile) throw new MoietyError("usage", `this file is too long for a page: it is ${path}`);
    return readFile(path, "utf8").catch(() => {
      throw new MoietyError("input", `cannot read ${path}`);
    });
  }

  return serveLive<SiteState>(
    {
      state,
      answers: {
        outlook: ({ id }: { readonly id: string }) => desk.outlook(id),
        approve: ({ id }: { readonly id: string }, person) => desk.decide(id, true, defined({ by: person })),
        refuse: ({ id, reason }: { readonly id: string; readonly reason: string }, person) =>
          desk.decide(id, false, defined({ reason, by: person })),
        journal,
        checkPolicy,
        savePolicy,
        file,
        report: async ({ job }: { readonly job: string }) => reportBody(await file({ job, name: "report.html" })),
      },
    },
    { page: "site.html", command: "moiety party", port: options.port, login: options.login },
  );
}

/** The latest jobs first, as far as their files tell. */
async function resultsIn(folder: string): Promise<SiteResult[]> {
  const jobs = (await readdir(folder).catch(() => [])).filter((name) => jobFolder.test(name));
  const found = await Promise.all(
    jobs.map(async (job) => {
      const names = (await readdir(join(folder, job)).catch(() => [])).filter((name) => fileNames.test(name)).sort();
      const stats = await Promise.all(names.map((name) => stat(join(folder, job, name)).catch(() => undefined)));
      const files = names.map((name, at) => ({ name, bytes: stats[at]?.size ?? 0 }));
      return { job, files, latest: Math.max(0, ...stats.map((each) => each?.mtimeMs ?? 0)) };
    }),
  );
  return found.sort((a, b) => b.latest - a.latest).map(({ job, files }) => ({ job, files }));
}
