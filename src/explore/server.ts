import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { MoietyError } from "../errors.js";
import { failureOf, type LocalServer, type PageExchange, serveLocally } from "../pages/local-server.js";
import { readTable } from "../table/disk/index.js";
import { Exploration, type ReadSource } from "./exploration.js";
import type { PageQuestion } from "./questions.js";
import { pack, unpack } from "./wire.js";

/** Tables of so many tabs are held at a time. */
const mostTabs = 8;
/** A file that is dropped on the page goes through memory; larger ones are named by their path. */
const largestFile = 2 ** 31;
const largestQuestion = 2 ** 22;

/** Serves the explore page to this machine alone. */
export async function serveExplore(
  options: { readonly port?: number; readonly source?: string } = {},
): Promise<LocalServer> {
  const folder = await mkdtemp(join(tmpdir(), "moiety-explore-"));
  const tabs = new Map<string, Exploration>();
  const server = await serveLocally({
    page: "index.html",
    command: "moiety explore",
    port: options.port,
    opening: options.source === undefined ? {} : { source: options.source },
    routes: { "PUT /file": keep, "POST /ask": ask },
  });
  return {
    address: server.address,
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };

  /** A file that was dropped on the page, kept until the server ends. */
  async function keep({ url, body, begin, response }: PageExchange): Promise<void> {
    const bytes = await body(largestFile);
    const place = join(
      folder,
      `${randomBytes(6).toString("hex")}-${basename(url.searchParams.get("name") ?? "table.csv")}`,
    );
    await writeFile(place, bytes, { mode: 0o600 });
    begin("application/json");
    response.end(pack({ place }));
  }

  /** Progress as it comes, then the answer or why there is none: one line of JSON each. Who goes away stops the work. */
  async function ask({ request, response, body, begin }: PageExchange): Promise<void> {
    const question = unpack((await body(largestQuestion)).toString()) as PageQuestion;
    const controller = new AbortController();
    response.on("close", () => controller.abort());
    begin("application/x-ndjson");
    const tell = (line: unknown) => response.write(`${pack(line)}\n`);
    try {
      const { signal } = controller;
      const exploration = explorationOf(String(request.headers["x-moiety-tab"]));
      tell({ answer: await exploration.answer(question, { signal, onProgress: (progress) => tell({ progress }) }) });
    } catch (error) {
      tell({ failure: failureOf(error) });
    }
    response.end();
  }

  function explorationOf(tab: string): Exploration {
    const known = tabs.get(tab) ?? new Exploration(readPlace);
    tabs.delete(tab);
    tabs.set(tab, known);
    for (const oldest of [...tabs.keys()].slice(0, -mostTabs)) tabs.delete(oldest);
    return known;
  }
}

/** Files are sent by themselves, and then opened by their place. */
const readPlace: ReadSource = async (source) => {
  if (source.kind === "place") return readTable(source.place);
  throw new MoietyError("usage", "a file must be sent before it is opened");
};
