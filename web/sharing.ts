import type { ColumnRole, PageRequest } from "../src/explore/questions.js";

interface Settings {
  readonly roles: Readonly<Record<string, ColumnRole>>;
  readonly request: PageRequest;
}

/** The settings in this page's link, if it has some. They hold names of columns, and nothing of the data. */
export function sharedSettings(): Settings | undefined {
  const text = new URLSearchParams(location.hash.slice(1)).get("settings");
  if (text === null) return undefined;
  try {
    const { roles, request } = JSON.parse(text) as Settings;
    return typeof roles === "object" && typeof request?.k === "number" ? { roles, request } : undefined;
  } catch {
    return undefined;
  }
}

/** A link to this page with settings: without the token or the path of whoever shares it. */
export function linkTo(settings: Settings): string {
  const base = location.href.replace(/[?#].*$/, "");
  return `${base}#${new URLSearchParams({ settings: JSON.stringify(settings) })}`;
}
