import { MoietyError } from "../../src/errors.js";
import type { PageAnswers, PageProgress, PageQuestion } from "../../src/explore/questions.js";
import type { Asked, Engine, FromEngine, ToEngine } from "./messages.js";
import { startWorker } from "./start-worker.js";

interface Waiting {
  resolve(answer: never): void;
  reject(error: Error): void;
  onProgress?: ((progress: PageProgress) => void) | undefined;
}

/** An engine in a worker of this tab. */
export function tabEngine(script: URL): Engine {
  const { worker, ready } = startWorker(script);
  const waiting = new Map<number, Waiting>();
  let last = 0;
  worker.onmessage = ({ data }: MessageEvent<FromEngine>) => {
    if (data.kind === "ready") return;
    const { resolve, reject, onProgress } = waiting.get(data.id) ?? {};
    if (data.kind === "progress") return onProgress?.(data.progress);
    waiting.delete(data.id);
    if (data.kind === "answer") resolve?.(data.answer as never);
    else reject?.(new MoietyError(data.failure.code, data.failure.message));
  };
  worker.onerror = ({ message }) => {
    for (const { reject } of waiting.values()) reject(new MoietyError("failed", `the engine stopped: ${message}`));
    waiting.clear();
  };
  return {
    native: false,
    ask<Kind extends PageQuestion["kind"]>(
      question: Extract<PageQuestion, { kind: Kind }>,
      onProgress?: (progress: PageProgress) => void,
    ): Asked<PageAnswers[Kind]> {
      const id = ++last;
      const send = (message: ToEngine) => void ready.then(() => worker.postMessage(message));
      const answer = new Promise<PageAnswers[Kind]>((resolve, reject) => {
        waiting.set(id, { resolve: resolve as Waiting["resolve"], reject, onProgress });
      });
      send({ kind: "question", id, question });
      const cancel = () => {
        send({ kind: "cancel", id });
        // The engine may be in the middle of a step: nobody waits for its end.
        waiting.get(id)?.reject(new MoietyError("cancelled", "stopped"));
        waiting.delete(id);
      };
      return { answer, cancel };
    },
  };
}
