import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import { unknownName } from "../table/suggest.js";

/** What a number on the command line may be. */
interface NumberRule {
  readonly least: number;
  readonly most?: number;
  /** The limit itself is not allowed. */
  readonly above?: boolean;
  readonly below?: boolean;
  readonly whole?: boolean;
  /** A value that would do, for the error. */
  readonly example: number;
}

/** Every number that any command takes: one place that says what is allowed. */
const rules = {
  "--k": { least: 1, most: 65_000, whole: true, example: 4 },
  "--teams": { least: 1, most: 65_000, whole: true, example: 12 },
  "--delta": { least: 0, most: 1, below: true, example: 0.2 },
  "--max-groups": { least: 2, most: 65_535, whole: true, example: 200 },
  "--tolerance": { least: 0, example: 1 },
  "--represent": { least: 0, above: true, most: 1, example: 0.3 },
  "--in-clusters": { least: 1, most: 65_000, whole: true, example: 2 },
  "--factor": { least: 1, example: 2 },
  "--category-weight": { least: 0, above: true, example: 1 },
  "--forget": { least: 0, most: 1, example: 0.1 },
  "--starts": { least: 1, whole: true, example: 5 },
  "--max-iter": { least: 1, whole: true, example: 50 },
  "--block": { least: 0, above: true, example: 0.25 },
  "--steps": { least: 2, most: 1000, whole: true, example: 10 },
  "--seed": { least: 0, whole: true, example: 1 },
  "--threads": { least: 1, whole: true, example: 2 },
  "--parties": { least: 1, whole: true, example: 3 },
  "--local-clusters": { least: 1, whole: true, example: 4 },
  "--min-count": { least: 1, whole: true, example: 5 },
  "--balance": { least: 0, above: true, most: 1, example: 0.8 },
  "--port": { least: 0, most: 65_535, whole: true, example: 7443 },
  "--min-size": { least: 1, whole: true, example: 20 },
  "--max-size": { least: 1, whole: true, example: 500 },
  "--seeds": { least: 1, most: 1000, whole: true, example: 5 },
  "--epsilon": { least: 0, above: true, example: 1 },
  "--epsilon-label": { least: 0, above: true, example: 0.1 },
  "--components": { least: 1, most: 1000, whole: true, example: 24 },
  "--target": { least: 0, most: 1, example: 0.02 },
  "--balance-target": { least: 0, most: 0.99, example: 0.8 },
  "--lambda": { least: 0, example: 10 },
  "--min-cell-share": { least: 0, most: 0.5, example: 0.02 },
  "--delta-dp": { least: 0, most: 1, below: true, example: 1e-5 },
  "--n": { least: 1, most: 1_000_000_000, whole: true, example: 100_000 },
  "--d": { least: 1, most: 10_000, whole: true, example: 2 },
  "--sd": { least: 0, example: 1 },
  "--beta": { least: 0, above: true, example: 1 },
  "--size": { least: 8, most: 512, whole: true, example: 32 },
  "--skew": { least: 0, above: true, example: 0.3 },
  "--rounds": { least: 1, most: 100_000, whole: true, example: 70 },
  "--max-rounds": { least: 1, most: 100_000, whole: true, example: 70 },
  "--epochs": { least: 1, most: 1000, whole: true, example: 1 },
  "--batch": { least: 1, most: 4096, whole: true, example: 128 },
  "--rate": { least: 0, above: true, most: 1e6, example: 0.05 },
  "--clip": { least: 0, above: true, example: 1 },
  "--eta": { least: 0, above: true, example: 0.2 },
  "--patience": { least: 0, whole: true, example: 10 },
  "--validation": { least: 0, above: true, most: 1, below: true, example: 0.2 },
  "--lists": { least: 1, whole: true, example: 400 },
  "--evenness": { least: 0, most: 10, example: 0.6 },
  "--border": { least: 0, most: 1, example: 0.2 },
  "--recall": { least: 0, above: true, most: 1, example: 0.95 },
  "--hours": { least: 0, above: true, example: 8 },
  "--test": { least: 0, most: 1, above: true, below: true, example: 0.3 },
} satisfies Record<string, NumberRule>;

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A parser for the option's value, as commander wants it. `word` is allowed in place of a number. */
export function number<Word extends string = never>(
  option: keyof typeof rules,
  word?: Word,
): (text: string) => number | Word {
  return numberBy(option, rules[option], word);
}

/** The same for an option that takes something else in other commands. */
export function numberBy<Word extends string = never>(
  option: string,
  rule: NumberRule,
  word?: Word,
): (text: string) => number | Word {
  return (text) => {
    if (word !== undefined && text.trim() === word) return word;
    const value = decimal.test(text.trim()) ? Number(text) : Number.NaN;
    if (allowed(value, rule)) return value;
    const instead = word === undefined ? "" : `, or ${option} ${word}`;
    throw new MoietyError(
      "usage",
      `${option} is '${text}': give ${description(rule)}, such as ${option} ${rule.example}${instead}`,
    );
  };
}

/** Gives every option in the table of numbers its parser, unless it has one of its own. */
export function parseNumbers(command: Command): void {
  for (const option of command.options) {
    if (option.parseArg === undefined && Object.hasOwn(rules, option.long ?? "")) {
      option.argParser(number(option.long as keyof typeof rules));
    }
  }
}

/** The value of --balance: a degree of evenness, or the word for sizes that differ by at most one. */
export const balance = number("--balance", "hard");

function allowed(value: number, { least, most = Number.MAX_SAFE_INTEGER, above, below, whole }: NumberRule): boolean {
  if (!Number.isFinite(value) || (whole && !Number.isInteger(value))) return false;
  return (above ? value > least : value >= least) && (below ? value < most : value <= most);
}

function description({ least, most, above, below, whole }: NumberRule): string {
  const noun = whole ? "a whole number" : "a number";
  if (above && below) return `${noun} above ${least} and below ${most}`;
  if (above && most !== undefined) return `${noun} above ${least} and up to ${most}`;
  if (most === undefined) return above ? `${noun} above ${least}` : `${noun} of ${least} or more`;
  return below ? `${noun} of ${least} or more and below ${most}` : `${noun} from ${least} to ${most}`;
}

/** One of a few words; anything else is an error with the nearest of them. */
export function choice<Name extends string>(what: string, names: readonly Name[]): (text: string) => Name {
  return (text) => {
    const name = names.find((known) => known === text);
    if (name === undefined) throw new MoietyError("usage", unknownName(what, text, names));
    return name;
  };
}

/** Names between commas, in quotes where they have commas themselves; an option that is given twice adds to its list. */
export function list(
  option: string,
  example = "age,income",
): (text: string, before?: readonly string[]) => readonly string[] {
  return (text, before = []) => [...before, ...namesIn(text, option, example).map(({ name }) => name)];
}

/**
 * The same with cuts: in `sex,age:25,40,65,race` the numbers after a cut are further cuts. A column that is called 40 stands
 * in quotes.
 */
export function protectList(text: string, before: readonly string[] = []): readonly string[] {
  const specs: ParsedName[] = [];
  for (const { name, bare } of namesIn(text, "--protect", "sex,race")) {
    const last = specs.at(-1);
    if (last && bare === name && /:\s*[+-]?[\d.][^*]*$/.test(last.bare) && cut.test(name)) {
      specs[specs.length - 1] = { name: `${last.name},${name}`, bare: `${last.bare},${name}` };
    } else specs.push({ name, bare });
  }
  return [...before, ...specs.map(({ name }) => name)];
}

const cut = /^([+-]?[\d.]+(e[+-]?\d+)?|\d{4}-\d\d-\d\d)\s*(\*|$)/i;

interface ParsedName {
  readonly name: string;
  /** What stands behind the last quote, if there is one. */
  readonly bare: string;
}

/** As in CSV: a quoted name may hold commas, and quotes that are doubled. Intersections may have one behind each star. */
function namesIn(text: string, option: string, example: string): ParsedName[] {
  const names: ParsedName[] = [];
  let name = "";
  let bare = 0;
  let quoted = false;
  let begun = false;
  // Blanks between quotes belong to the name.
  const end = () => {
    const whole = name.slice(0, bare) + name.slice(bare).trimEnd();
    names.push({ name: begun ? whole : whole.trimStart(), bare: name.slice(bare).trim() });
    name = "";
    bare = 0;
    begun = false;
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (quoted && character === '"') {
      if (text[i + 1] === '"') name += text[++i];
      else {
        quoted = false;
        bare = name.length;
      }
    } else if (!quoted && character === '"' && /(^|\*)\s*$/.test(name)) {
      name = name.trimEnd();
      begun ||= name === "";
      quoted = true;
    } else if (!quoted && character === ",") end();
    else name += character;
  }
  end();
  if (!quoted && names.every((each) => each.name !== "")) return names;
  const quoting = text.includes('"') ? `, and close every quote: '"income, yearly",age'` : "";
  const advice = `give names between commas, such as ${option} ${example}${quoting}`;
  throw new MoietyError("usage", `${option} is '${text}': ${advice}`);
}
