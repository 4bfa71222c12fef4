import { MoietyError } from "../../src/errors.js";
import type { PageAnswers, PageProgress, PageQuestion, PageSource } from "../../src/explore/questions.js";
import { pack, unpack } from "../../src/explore/wire.js";
import type { PageFailure } from "../../src/pages/local-server.js";
import { takeToken } from "../token.js";
import { bytesOf } from "./chosen-file.js";
import type { Asked, Engine } from "./messages.js";

interface Line {
  readonly progress?: PageProgress;
  readonly answer?: unknown;
  readonly failure?: PageFailure;
}

/** An engine in the process of `moiety explore`, on the same machine. */
export function serverEngine(): Engine {
  const token = takeToken();
  const tab = crypto.randomUUID();
  const send = async (method: "POST" | "PUT", path: string, body: BodyInit, signal: AbortSignal) => {
    const headers = { "X-Moiety-Token": token, "X-Moiety-Tab": tab };
    const response = await fetch(path, { method, body, headers, signal }).catch((cause: unknown) => {
      if (signal.aborted) throw new MoietyError("cancelled", "stopped", { cause });
      throw new MoietyError("failed", "moiety explore does not answer: is it still running in its terminal?", {
        cause,
      });
    });
    if (response.ok) return response;
    throw errorOf((unpack(await response.text()) as Line).failure);
  };

  /** Files go by themselves; the question then names their place. */
  async function placed(source: PageSource, signal: AbortSignal): Promise<PageSource> {
    if (source.kind !== "file") return source;
    const path = `file?${new URLSearchParams({ name: source.name })}`;
    // Once it is being sent, nothing tells a file that cannot be read from a server that does not answer.
    const bytes = await bytesOf(source.name, source.content);
    const response = await send("PUT", path, bytes as BodyInit, signal);
    return { kind: "place", ...(unpack(await response.text()) as { place: string }), shown: source.name };
  }

  async function asked(
    question: PageQuestion,
    signal: AbortSignal,
    onProgress?: (progress: PageProgress) => void,
  ): Promise<unknown> {
    const ready = "source" in question ? { ...question, source: await placed(question.source, signal) } : question;
    const { body } = await send("POST", "ask", pack(ready), signal);
    if (!body) throw new MoietyError("failed", "moiety explore gave no answer");
    let text = "";
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value = "" } = await reader.read().catch((cause: unknown) => {
        throw new MoietyError(signal.aborted ? "cancelled" : "failed", "moiety explore stopped answering", { cause });
      });
      const lines = (text + value).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines.map((each) => unpack(each) as Line)) {
        if (line.failure) throw errorOf(line.failure);
        if (line.answer !== undefined) return line.answer;
        if (line.progress) onProgress?.(line.progress);
      }
      if (done) throw new MoietyError("failed", "moiety explore stopped before it answered");
    }
  }

  return {
    native: true,
    ask<Kind extends PageQuestion["kind"]>(
      question: Extract<PageQuestion, { kind: Kind }>,
      onProgress?: (progress: PageProgress) => void,
    ): Asked<PageAnswers[Kind]> {
      const controller = new AbortController();
      const answer = asked(question, controller.signal, onProgress) as Promise<PageAnswers[Kind]>;
      return { answer, cancel: () => controller.abort() };
    },
  };
}

function errorOf(failure: PageFailure | undefined): MoietyError {
  return new MoietyError(failure?.code ?? "failed", failure?.message ?? "moiety explore gave no reason");
}
