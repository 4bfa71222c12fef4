import type { ColumnRole, PageRequest } from "../src/explore/questions.js";

interface Settings {
  readonly roles: Readonly<Record<string, ColumnRole>>;
  readonly request: PageRequest;
}

const roles: ReadonlySet<unknown> = new Set<ColumnRole>([
  "feature",
  "category",
  "protected",
  "id",
  "weight",
  "left out",
]);
const numbers: ReadonlySet<string> = new Set(["k", "delta", "tolerance", "seed", "minSize", "maxSize"]);

/** The settings in this page's link, if it has some; "broken" where they are none. They hold names of columns, and nothing of the data. */
export function sharedSettings(): Settings | "broken" | undefined {
  const text = new URLSearchParams(location.hash.slice(1)).get("settings");
  if (text === null) return undefined;
  try {
    const settings = JSON.parse(text) as Settings;
    return isSettings(settings) ? settings : "broken";
  } catch {
    return "broken";
  }
}

function isSettings(given: Settings): boolean {
  const fits = ([name, value]: [string, unknown]) =>
    numbers.has(name)
      ? Number.isFinite(value)
      : name === "balance"
        ? value === "hard" || Number.isFinite(value)
        : name === "dropMissing" && typeof value === "boolean";
  return Object.values(given.roles).every((role) => roles.has(role)) && Object.entries(given.request).every(fits);
}

/** A link to this page with settings: without the token or the path of whoever shares it. */
export function linkTo(settings: Settings): string {
  const base = location.href.replace(/[?#].*$/, "");
  return `${base}#${new URLSearchParams({ settings: JSON.stringify(settings) })}`;
}
