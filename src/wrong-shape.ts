import type * as z from "zod";

type Issue = z.core.$ZodIssue;

/** What is wrong with a value that has another shape than it should, in plain words and without the value. */
export function wrongShape(issue: Issue | undefined): string {
  if (!issue) return "wrong shape";
  switch (issue.code) {
    case "unrecognized_keys":
      return `unknown ${issue.keys.map((key) => `'${key}'`).join(", ")}`;
    case "invalid_key":
      // What a name must be like is said inside.
      return issue.issues[0]?.message ?? issue.message;
    default: {
      const wanted = wantedBy(issue);
      if (wanted === undefined) return issue.message;
      return `${/received undefined$/.test(issue.message) ? "it is missing: " : ""}give ${wanted}`;
    }
  }
}

/** What a value must be; undefined where the shape itself says it in a sentence. */
function wantedBy(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return names[issue.expected];
    case "too_small":
    case "too_big":
      return limited(issue);
    case "invalid_value":
      return either(issue.values.map(String));
    case "invalid_union": {
      // Of alternatives each wants something else.
      const wanted = issue.errors.map(([first]) => first && wantedBy(first));
      return wanted.length > 0 && !wanted.includes(undefined) ? either(wanted as string[]) : undefined;
    }
    default:
      return undefined;
  }
}

const names: Readonly<Record<string, string>> = {
  number: "a number",
  int: "a whole number",
  string: "text",
  boolean: "true or false",
  array: "a list in brackets",
  tuple: "a list in brackets",
  object: "names with values",
  record: "names with values",
};

function limited(issue: Extract<Issue, { code: "too_small" | "too_big" }>): string | undefined {
  const [limit, isLeast] = issue.code === "too_small" ? [issue.minimum, true] : [issue.maximum, false];
  if (issue.origin === "string" || issue.origin === "array" || issue.origin === "set") {
    const things = issue.origin === "string" ? "characters" : "entries";
    return `${isLeast ? "at least" : "at most"} ${limit} ${limit === 1 ? things.replace(/(ie)?s$/, (end) => (end === "ies" ? "y" : "")) : things}`;
  }
  if (issue.inclusive) return `a number of ${limit} or ${isLeast ? "more" : "less"}`;
  return `a number ${isLeast ? "above" : "below"} ${limit}`;
}

function either(values: readonly string[]): string {
  return values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}
