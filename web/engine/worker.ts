import { MoietyError } from "../../src/errors.js";
import { Exploration } from "../../src/explore/exploration.js";
import type { PageAnswers, PageProgress, PageQuestion } from "../../src/explore/questions.js";
import { bytesOf } from "./chosen-file.js";
import { type FromEngine, failureOf, type ToEngine } from "./messages.js";
import { writeParquet } from "./write-parquet.js";

/** Readers of files, which are loaded beside what the first run needs. */
const reader = () => import("./read-file.js");

/** The engine of a page that computes by itself: nothing that it is given leaves this worker but to its own page. */
const exploration = new Exploration({
  read: async (source) => {
    if (source.kind === "file") {
      const [{ readFile }, bytes] = await Promise.all([reader(), bytesOf(source.name, source.content)]);
      return readFile(source.name, bytes);
    }
    throw new MoietyError("usage", "this page reads files that you choose: paths and queries need moiety explore");
  },
  writeParquet,
});
const running = new Map<number, AbortController>();

self.onmessage = ({ data }: MessageEvent<ToEngine>) => {
  if (data.kind === "cancel") running.get(data.id)?.abort();
  else void answer(data.id, data.question);
};

self.postMessage({ kind: "ready" } satisfies FromEngine);
void reader();
void import("../../src/explore/rehearsal.js").then(({ rehearse }) => rehearse());

/** A map is made for the page alone: it moves there, rather than being copied. */
function drawnIn(found: PageAnswers[PageQuestion["kind"]]): Transferable[] {
  if (!("map" in found)) return [];
  const drawn: readonly unknown[] = Object.values(found.map);
  return drawn.filter((part) => ArrayBuffer.isView(part)).map(({ buffer }) => buffer as ArrayBuffer);
}

async function answer(id: number, question: PageQuestion): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  const tell = (message: FromEngine) => self.postMessage(message);
  try {
    const following = {
      signal: controller.signal,
      onProgress: (progress: PageProgress) => tell({ kind: "progress", id, progress }),
    };
    const found = await exploration.answer(question, following);
    self.postMessage({ kind: "answer", id, answer: found } satisfies FromEngine, { transfer: drawnIn(found) });
  } catch (error) {
    tell({ kind: "failure", id, failure: failureOf(error) });
  } finally {
    running.delete(id);
  }
}
