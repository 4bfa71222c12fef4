import { type ReadonlySignal, signal } from "@preact/signals";
import { MoietyError } from "../../src/errors.js";
import type { PageFailure } from "../../src/pages/local-server.js";
import { takeToken } from "../token.js";
import { finishLogIn, forget, takeAnswer } from "./log-in.js";

/** Milliseconds without a word of the server, which speaks every 3 seconds, after which it is called lost. */
const silence = 10_000;
/** Milliseconds before the connection is tried again: the first time, and at most. */
const firstPause = 500;
const longestPause = 5000;

/** What may be wrong with a connection. */
type Trouble = "connecting" | "lost" | "token" | "login";

interface Event<State> {
  readonly state?: State;
  readonly failure?: PageFailure;
}

/** What a page knows of the process that serves it, as it changes, and a way to ask it. */
export class Live<State> {
  private readonly known = signal<State | undefined>(undefined);
  private readonly trouble = signal<Trouble | undefined>("connecting");
  private readonly said = signal<string | undefined>(undefined);

  constructor() {
    void this.begin(takeAnswer());
  }

  get headers(): Readonly<Record<string, string>> {
    return { "X-Moiety-Token": takeToken() };
  }

  get state(): ReadonlySignal<State | undefined> {
    return this.known;
  }

  /** What is wrong with the connection. */
  get connection(): ReadonlySignal<Trouble | undefined> {
    return this.trouble;
  }

  /** Why the process itself cannot tell how things are. */
  get failure(): ReadonlySignal<string | undefined> {
    return this.said;
  }

  /** Throws a MoietyError with one sentence for whoever asked. */
  async ask<Answer = null>(name: string, given: object = {}): Promise<Answer> {
    const body = JSON.stringify({ ask: name, ...given });
    const response = await fetch("ask", { method: "POST", headers: this.headers, body }).catch(() => undefined);
    if (!response) throw new MoietyError("failed", "the process that serves this page does not answer");
    const { answer, failure } = (await response.json()) as { answer?: Answer; failure?: PageFailure };
    if (failure) throw new MoietyError(failure.code, failure.message);
    return answer as Answer;
  }

  /** Whoever comes back from a provider is logged in first. */
  private async begin(answer: string | undefined): Promise<void> {
    const failure = answer === undefined ? undefined : await finishLogIn(answer).catch((error: Error) => error.message);
    await this.follow();
    this.said.value = failure ?? undefined;
    this.trouble.value = "login";
  }

  /** Reads events until the page is closed, or somebody has to log in; a connection that ends is opened again. */
  private async follow(): Promise<void> {
    for (let pause = firstPause; ; pause = Math.min(longestPause, 2 * pause)) {
      // Browsers open six connections to a server: tabs that nobody sees leave them to the others.
      while (document.hidden) await once(document, "visibilitychange");
      const controller = new AbortController();
      const hide = () => document.hidden && controller.abort();
      document.addEventListener("visibilitychange", hide);
      try {
        const response = await fetch("events", { method: "POST", headers: this.headers, signal: controller.signal });
        if (response.status === 401) {
          if (((await response.json()) as { login?: boolean }).login) return this.empty();
          this.trouble.value = "token";
        }
        if (response.ok && response.body) {
          pause = firstPause;
          await this.read(response.body, controller);
        }
      } catch {
        // Whatever it was, the next attempt may succeed.
      }
      document.removeEventListener("visibilitychange", hide);
      controller.abort();
      if (document.hidden) continue;
      if (this.trouble.value !== "token") this.trouble.value = "lost";
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  private async read(body: ReadableStream<Uint8Array>, controller: AbortController): Promise<void> {
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    let text = "";
    for (;;) {
      const timer = setTimeout(() => controller.abort(), silence);
      const { done, value = "" } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      const events = (text + value).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        if (event.startsWith("data: ")) this.take(JSON.parse(event.slice(6)) as Event<State>);
      }
    }
  }

  /** Nobody sees what was shown to somebody who is not logged in any more. */
  private empty(): void {
    forget();
    this.known.value = undefined;
  }

  private take({ state, failure }: Event<State>): void {
    this.trouble.value = undefined;
    this.said.value = failure?.message;
    if (state) this.known.value = state;
  }
}

function once(target: EventTarget, event: string): Promise<unknown> {
  return new Promise((resolve) => target.addEventListener(event, resolve, { once: true }));
}
