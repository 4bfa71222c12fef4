import { MoietyError } from "../../src/errors.js";
import { Exploration } from "../../src/explore/exploration.js";
import type { PageProgress, PageQuestion } from "../../src/explore/questions.js";
import { type FromEngine, failureOf, type ToEngine } from "./messages.js";
import { readFile } from "./read-file.js";
import { writeParquet } from "./write-parquet.js";

/** The engine of a page that computes by itself: nothing that it is given leaves this worker but to its own page. */
const exploration = new Exploration({
  read: async (source) => {
    if (source.kind === "file") return readFile(source.name, source.bytes);
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
    tell({ kind: "answer", id, answer: found });
  } catch (error) {
    tell({ kind: "failure", id, failure: failureOf(error) });
  } finally {
    running.delete(id);
  }
}
