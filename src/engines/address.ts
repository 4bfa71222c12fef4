import { MoietyError } from "../errors.js";

/** Where people are that live in an engine: `warehouse.duckdb?table=people`, `postgres://…?table=…`, `sc://…?table=…`. */
export interface EngineAddress {
  readonly kind: "duckdb" | "postgres" | "spark";
  /** The file, or the URL without what names the people. May hold secrets. */
  readonly location: string;
  /** What is clustered: a table by its name (with schema and catalogue between dots), or a query. */
  readonly people: { readonly table: string } | { readonly query: string };
  /** The whole address as it may be shown. */
  readonly shown: string;
}

const urls = /^(postgres(?:ql)?|sc):\/\//i;
const duckdbFile = /^(:memory:|.*\.(?:duckdb|ddb))(\?.*)?$/is;

/** Whether a source names an engine rather than a file, a query or standard input. */
export function isEngineAddress(source: string): boolean {
  return urls.test(source) || (duckdbFile.test(source) && !/^[\s(]*(select|with|from)\s/i.test(source));
}

/** Takes an address apart. What follows `?` are `table=` or `query=`, and for PostgreSQL its own options. */
export function parseEngineAddress(source: string): EngineAddress {
  const at = source.indexOf("?");
  const before = at < 0 ? source : source.slice(0, at);
  const options = new URLSearchParams(at < 0 ? "" : source.slice(at + 1).replaceAll("+", "%2B"));
  const [table, query] = ["table", "query"].map((name) => {
    const value = options.get(name);
    options.delete(name);
    return value ?? undefined;
  });
  const shown = withoutPasswords(source);
  const form = `${shown.replace(/\?.*$/s, "")}?table=name`;
  if (table !== undefined && query !== undefined) {
    throw new MoietyError("usage", `${form}: give a table or a query, not both`);
  }
  const people = query !== undefined ? { query: query.trim().replace(/;+\s*$/, "") } : { table: table ?? "" };
  if (!(people.table ?? people.query)) throw new MoietyError("usage", `which table? Write ${form}`);
  const scheme = urls.exec(before)?.[1].toLowerCase();
  const kind = scheme === undefined ? "duckdb" : scheme === "sc" ? "spark" : "postgres";
  const rest = options.toString();
  if (rest !== "" && kind !== "postgres") {
    const [unknown] = options.keys();
    throw new MoietyError("usage", `unknown option '${unknown}' in ${form}; use table or query`);
  }
  return { kind, location: rest === "" ? before : `${before}?${rest}`, people, shown };
}

/** Options of Spark that say nothing that opens it. Others travel as headers, which may be keys. */
const openOptions = "use_ssl|user_id|user_name|user_agent|session_id|x-databricks-cluster-id";
const closedOption = new RegExp(`(;(?!(?:${openOptions})=)[^;=?]*=)[^;?]*`, "gi");

/** An address without what would open the engine to whoever reads it. */
export function withoutPasswords(address: string): string {
  const at = address.search(/[?&](?:table|query)=/i);
  const [place, people] = at < 0 ? [address, ""] : [address.slice(0, at), address.slice(at)];
  // A password may hold any character: it ends at the last @ before the people.
  const shown = place.replace(/^([a-z]+:\/\/[^:@/?]*):.*@/is, "$1:…@");
  const headed = /^sc:/i.test(place) ? shown.replace(closedOption, "$1…") : shown;
  return headed.replace(secretOption, "$1…") + people.replace(secretOption, "$1…");
}

/** The same address as it opens the engine again where the environment has its password or token (PGPASSWORD, SPARK_CONNECT_TOKEN). */
export function repeatedAddress(address: string): string {
  return withoutPasswords(address)
    .replace(/^([a-z]+:\/\/[^:@/?]*):…@/i, "$1@")
    .replace(/;token=…/i, "")
    .replace(/([?&])password=…(?:&|$)/i, "$1")
    .replace(/[?&]$/, "");
}

const secretOption = /([?&](?:password|sslkey|sslpassword)=)[^&]*/gi;

/** The parts of a table's name: `schema.table`, each part as it stands or in double quotes. */
export function nameParts(name: string): string[] {
  const parts = name.match(/"(?:[^"]|"")*"|[^.]+/g) ?? [];
  return parts.map((part) => (part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part));
}
