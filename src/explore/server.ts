import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { failureOf, type LocalServer, type PageExchange, serveLocally } from "../pages/local-server.js";
import { type ReadOptions, readTable } from "../table/disk/index.js";
import { writeParquet } from "../table/disk/parquet.js";
import type { Table } from "../table/types.js";
import { Exploration, type ExplorationMeans, type Following } from "./exploration.js";
import type { PrivateMeans } from "./private.js";
import type { PageQuestion } from "./questions.js";
import { pack, unpack } from "./wire.js";

/** Tables of so many tabs are held at a time. */
const mostTabs = 8;
/** A file that is dropped on the page goes through memory; larger ones are named by their path. */
const largestFile = 2 ** 31;
const largestQuestion = 2 ** 22;

interface ExploreOptions {
  readonly port?: number;
  readonly source?: string;
  /** What a link that somebody shared says of columns and request, as it stands in the link. */
  readonly settings?: string;
  /** How private runs spend; without it there are none. */
  readonly private?: PrivateMeans;
  /** Reads what is at a place: of files alone where nobody says how. */
  readonly read?: (place: string, reading: PlaceReading) => Promise<Table>;
  readonly called?: ExplorationMeans["called"];
}

type PlaceReading = Pick<ReadOptions, "onProgress"> & Pick<Following, "signal">;

/** Serves the explore page to this machine alone. */
export async function serveExplore(options: ExploreOptions = {}): Promise<LocalServer> {
  const folder = await mkdtemp(join(tmpdir(), "moiety-explore-"));
  const tabs = new Map<string, Exploration>();
  const means = meansOf(folder, options);
  const server = await serveLocally({
    page: "index.html",
    command: "moiety explore",
    port: options.port,
    opening: defined({ source: options.source, settings: options.settings }),
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
      const following = { signal, onProgress: (progress: unknown) => tell({ progress }) };
      tell({ answer: await exploration.answer(question, following) });
    } catch (error) {
      tell({ failure: failureOf(error) });
    }
    response.end();
  }

  function explorationOf(tab: string): Exploration {
    const known = tabs.get(tab) ?? new Exploration(means);
    tabs.delete(tab);
    tabs.set(tab, known);
    for (const oldest of [...tabs.keys()].slice(0, -mostTabs)) tabs.delete(oldest);
    return known;
  }
}

/** Whoever dropped a file knows it by its name, and not by the place where it is kept. */
async function calledAs(shown: string, place: string, reading: Promise<Table>): Promise<Table> {
  try {
    const { warnings = [], ...table } = await reading;
    return { ...table, warnings: warnings.map((warning) => warning.replaceAll(place, shown)) };
  } catch (error) {
    if (!(error instanceof MoietyError)) throw error;
    throw new MoietyError(error.code, error.message.replaceAll(place, shown), { cause: error });
  }
}

function meansOf(folder: string, { read = readTable, called, private: means }: ExploreOptions): ExplorationMeans {
  return {
    // Files are sent by themselves, and then opened by their place.
    read: async (source, following) => {
      if (source.kind !== "place") throw new MoietyError("usage", "a file must be sent before it is opened");
      const { place, shown } = source;
      const { onProgress, signal } = following;
      const reading = read(place, {
        ...defined({ signal }),
        onProgress: ({ bytes = 0, ofBytes = 0 }) =>
          onProgress?.({ phase: "read", part: ofBytes > 0 ? Math.min(1, bytes / ofBytes) : 0 }),
      });
      return shown === undefined ? reading : calledAs(shown, place, reading);
    },
    writeParquet: async (part) => {
      const path = join(folder, `${randomBytes(6).toString("hex")}.parquet`);
      try {
        await writeParquet(path, [part], part.rows);
        return new Uint8Array(await readFile(path));
      } finally {
        await rm(path, { force: true });
      }
    },
    ...defined({ private: means, called }),
  };
}
