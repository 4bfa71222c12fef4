import { MoietyError } from "../errors.js";
import {
  failureOf,
  type LocalServer,
  type LocalServerOptions,
  type PageExchange,
  serveLocally,
} from "./local-server.js";

/** What a page shows, all of it, and what can be asked from it. */
export interface LivePage<State extends object> {
  /** As it is now. It is sent whenever it is another than before. */
  state(): Promise<State> | State;
  /** The answers to the page's questions, by name, for whoever is logged in. Throws a MoietyError where there is none. */
  readonly answers: Readonly<Record<string, (given: never, person: string | undefined) => unknown>>;
}

/** Milliseconds from one look at the state to the next, while somebody watches. */
const lookEvery = 400;
/** Milliseconds after which a page is told that the server is still there. */
const beatEvery = 3000;
const largestQuestion = 2 ** 22;

/** Serves a page of the federation to this machine alone. Its state comes as server-sent events, which the page reads by fetch. */
export function serveLive<State extends object>(
  page: LivePage<State>,
  options: Omit<LocalServerOptions, "routes">,
): Promise<LocalServer> {
  const watchers = new Map<PageExchange, string>();
  let timer: NodeJS.Timeout | undefined;
  return serveLocally({ ...options, routes: { "POST /events": watch, "POST /ask": ask } });

  async function watch(exchange: PageExchange): Promise<void> {
    const { response, begin } = exchange;
    begin("text/event-stream");
    watchers.set(exchange, "");
    const beat = setInterval(() => response.write(": still here\n\n"), beatEvery);
    response.on("close", () => {
      clearInterval(beat);
      watchers.delete(exchange);
    });
    if (timer === undefined) await look();
  }

  /** Tells everybody who watches what they do not know yet, now and until nobody watches. */
  async function look(): Promise<void> {
    timer = setTimeout(() => undefined, 0);
    const event = await Promise.resolve()
      .then(() => page.state())
      .then(
        (state) => JSON.stringify({ state }),
        (error: unknown) => JSON.stringify({ failure: failureOf(error) }),
      );
    for (const [{ response }, known] of watchers) {
      if (known !== event) response.write(`data: ${event}\n\n`);
    }
    for (const watcher of watchers.keys()) watchers.set(watcher, event);
    timer = watchers.size > 0 ? setTimeout(() => void look(), lookEvery) : undefined;
    timer?.unref();
  }

  async function ask({ body, person, respond }: PageExchange): Promise<void> {
    const { ask: name, ...given } = questionIn((await body(largestQuestion)).toString());
    let said: object;
    try {
      if (!Object.hasOwn(page.answers, name)) throw new MoietyError("usage", "this page does not ask that");
      said = { answer: (await page.answers[name](given as never, person)) ?? null };
    } catch (error) {
      said = { failure: failureOf(error) };
    }
    respond(said);
  }
}

function questionIn(text: string): { readonly ask: string } {
  try {
    const question = JSON.parse(text) as { readonly ask?: unknown } | null;
    if (typeof question?.ask === "string") return { ...question, ask: question.ask };
  } catch {
    // It is no JSON.
  }
  throw new MoietyError("usage", "this is not a question of a page");
}
