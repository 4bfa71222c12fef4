/** Languages that reports are written in. */
export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

/** By the English text, whose values are {0}, {1} and so on: the same in another language. */
type Words = Readonly<Record<string, string>>;

interface SpokenLanguage {
  readonly language: Language;
  /** English has none: texts are written in it. */
  readonly words?: Words;
  /** What the core says in whole sentences of English, in this language; undefined where it is not known. */
  readonly translate?: (sentence: string) => string | undefined;
  readonly locale: string;
}

export const english: SpokenLanguage = { language: "en", locale: "en-US" };
let spoken = english;

/** Whatever is rendered in `work`, which must not wait for anything, is in this language. */
export function speakingIn<Result>(language: SpokenLanguage, work: () => Result): Result {
  const before = spoken;
  spoken = language;
  try {
    return work();
  } finally {
    spoken = before;
  }
}

/** The language of what is being rendered. */
export function spokenLanguage(): Language {
  return spoken.language;
}

/** How numbers are written in it. */
export function spokenLocale(): string {
  return spoken.locale;
}

/** Digits with the point that the language has. */
export function decimal(digits: string): string {
  return spoken.locale === english.locale ? digits : digits.replace(".", (1.5).toLocaleString(spoken.locale)[1]);
}

/** What was looked for and not found, for those who complete the words. */
const missing = new Set<string>();

export function missingWords(): readonly string[] {
  return [...missing];
}

/** Words of a whole, as they are in the language that is spoken; anything else as it is. */
export function told<Piece>(piece: Piece): Piece {
  if (!spoken.words || typeof piece !== "string") return piece;
  return (spoken.words[piece] as Piece | undefined) ?? piece;
}

/** What the core said in English, such as a warning, in the language that is spoken. */
export function heard(sentence: string): string {
  if (!spoken.translate) return sentence;
  const found = spoken.translate(sentence);
  if (found === undefined) missing.add(sentence);
  return found ?? sentence;
}

/** A template as texts, and the number of the value between each of them and the next. */
interface Template {
  readonly texts: readonly string[];
  readonly values: readonly number[];
}

const templates = new WeakMap<Words, WeakMap<readonly string[], Template>>();

/** A template in the language that is spoken; undefined in English, which it is written in. */
export function templateOf(strings: readonly string[]): Template | undefined {
  const { words } = spoken;
  if (!words) return undefined;
  const known = templates.get(words) ?? new WeakMap<readonly string[], Template>();
  templates.set(words, known);
  const template = known.get(strings) ?? translated(strings, words);
  known.set(strings, template);
  return template;
}

/** Texts between tags are looked up one by one, tags inside of sentences aside, and so are attributes that are read out. */
function translated(strings: readonly string[], words: Words): Template {
  const whole = strings.reduce((text, next, i) => (i === 0 ? next : `${text}{${i - 1}}${next}`), "");
  const pieces = whole
    .split(/(<(?!\/?(?:b|em)>)[^>]*>)/)
    .map((piece, i) =>
      i % 2 === 0
        ? lookedUp(piece, words)
        : piece.replace(/((?:aria-label|title)=")([^"]*)/g, (_, before, text) => before + lookedUp(text, words)),
    )
    .join("")
    .split(/\{(\d+)\}/);
  return {
    texts: pieces.filter((_, i) => i % 2 === 0),
    values: pieces.filter((_, i) => i % 2 === 1).map(Number),
  };
}

/** In the words, values are numbered from 0 in every text. */
function lookedUp(text: string, words: Words): string {
  const [, before, inner, after] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? ["", "", text, ""];
  const values = [...inner.matchAll(/\{(\d+)\}/g)].map(([, value]) => value);
  let next = 0;
  const key = inner.replace(/\s+/g, " ").replace(/\{\d+\}/g, () => `{${next++}}`);
  const found = words[key];
  if (found === undefined) {
    if (/[a-z]{2}/i.test(key)) missing.add(key);
    return text;
  }
  return before + found.replace(/\{(\d+)\}/g, (_, at) => `{${values[Number(at)]}}`) + after;
}

/** Values in their places. */
export function filled<Value>(
  { texts, values }: Template,
  given: readonly Value[],
  show: (value: Value) => string,
): string {
  return texts.reduce((text, next, i) => text + show(given[values[i - 1]]) + next);
}

/** A sentence of a report. */
export function say(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const template = templateOf(strings);
  const shown = (value: string | number) => (typeof value === "number" ? decimal(String(value)) : value);
  return template ? filled(template, values, shown) : String.raw({ raw: strings }, ...values);
}
