const kept = "moiety-token";

/** The token comes behind the # of the address, and then lives as long as the tab; the address shows it no more. */
export function takeToken(): string {
  const hash = new URLSearchParams(location.hash.slice(1));
  const token = hash.get("token");
  if (token !== null) {
    keepToken(token);
    hash.delete("token");
    history.replaceState(null, "", `${location.pathname}${hash.size > 0 ? `#${hash}` : ""}`);
  }
  return sessionStorage.getItem(kept) ?? "";
}

/** For as long as the tab. */
export function keepToken(token: string): void {
  sessionStorage.setItem(kept, token);
}
