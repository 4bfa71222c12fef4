import { MoietyError } from "../../src/errors.js";
import { Exploration } from "../../src/explore/exploration.js";
import type { PageQuestion } from "../../src/explore/questions.js";
import { type FromEngine, failureOf, type ToEngine } from "./messages.js";
import { readFile } from "./read-file.js";

/** The engine of a page that computes by itself: nothing that it is given leaves this worker but to its own page. */
const exploration = new Exploration(async (source) => {
  if (source.kind === "file") return readFile(source.name, source.bytes);
  throw new MoietyError("usage", "this page reads files that you choose: paths and queries need moiety explore");
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
    const found = await exploration.answer(question, {
      signal: controller.signal,
      onProgress: (progress) => tell({ kind: "progress", id, progress }),
    });
    tell({ kind: "answer", id, answer: found });
  } catch (error) {
    tell({ kind: "failure", id, failure: failureOf(error) });
  } finally {
    running.delete(id);
  }
}
