import { MoietyError } from "../../src/errors.js";
import type { PageFailure } from "../../src/pages/local-server.js";
import { keepToken } from "../token.js";

/** The attempt to log in that this tab began, and what stood behind the # of its address. */
const begun = "moiety-attempt";
const opening = "moiety-opening";
const person = "moiety-person";

/** Who is logged in, in this tab. */
export function loggedIn(): string | undefined {
  return sessionStorage.getItem(person) ?? undefined;
}

/** What the provider sent this tab back with; the address shows it no more. */
export function takeAnswer(): string | undefined {
  const { search, pathname } = location;
  if (!new URLSearchParams(search).has("state")) return undefined;
  history.replaceState(null, "", `${pathname}${sessionStorage.getItem(opening) ?? ""}`);
  return search;
}

/** Leaves for the provider. */
export async function logIn(): Promise<void> {
  const { attempt, address } = await post<{ attempt: string; address: string }>("login");
  sessionStorage.setItem(begun, attempt);
  sessionStorage.setItem(opening, location.hash);
  location.assign(address);
}

export async function finishLogIn(answer: string): Promise<void> {
  const attempt = sessionStorage.getItem(begun) ?? "";
  sessionStorage.removeItem(begun);
  const known = await post<{ token: string; person: string }>("logged-in", { attempt, answer });
  keepToken(known.token);
  sessionStorage.setItem(person, known.person);
}

/** The page begins again, for the next one. */
export async function logOut(headers: Readonly<Record<string, string>>): Promise<void> {
  await post("logout", {}, headers);
  forget();
  location.reload();
}

export function forget(): void {
  keepToken("");
  sessionStorage.removeItem(person);
}

/** Throws a MoietyError with one sentence. */
async function post<Answer>(path: string, body: object = {}, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => undefined);
  if (!response) throw new MoietyError("failed", "the process that serves this page does not answer");
  const said = (await response.json()) as Answer & { readonly failure?: PageFailure };
  if (said.failure) throw new MoietyError(said.failure.code, said.failure.message);
  return said;
}
