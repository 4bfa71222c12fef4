import { html, type Piece } from "./html/markup.js";
import { type Provenance, reportPage, section, verdictHeader, wideTable } from "./html/parts.js";
import type { Tone } from "./verdict.js";

/** What a card says besides the result: where the model comes from, and digests by which it is told from others. */
export interface CardOrigin extends Required<Omit<Provenance, "language">> {
  /** SHA-256 of the source, where it is a file. */
  readonly dataDigest?: string;
  /** SHA-256 of the model's file, where one was written, and its name. */
  readonly model?: { readonly file: string; readonly digest: string };
  /** SHA-256 of the model that newcomers have joined. */
  readonly earlierDigest?: string;
  /** What ran it, such as "Node.js 22.1.0". */
  readonly runtime?: string;
}

/** A part of a card: sentences, then a list or a table. */
export interface ModelCardPart {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly list?: readonly string[];
  readonly table?: { readonly titles: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

/** A model card: in Markdown with the fields that model hubs read, or as a page to be printed. */
export interface ModelCard {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly verdict: { readonly tone: Tone; readonly word: string; readonly sentence: string };
  readonly made: string;
  readonly parts: readonly ModelCardPart[];
}

/** Markdown with the fields at its top that model hubs read. */
export function cardMarkdown({ summary, tags, verdict, parts }: ModelCard): string {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  const partOf = ({ title, sentences, list = [], table }: ModelCardPart) => [
    `## ${title}`,
    ...(sentences.length > 0 ? [sentences.join(" ")] : []),
    ...(list.length > 0 ? [list.map((item) => `- ${item}`).join("\n")] : []),
    ...(table ? [[line(table.titles), line(table.titles.map(() => "---")), ...table.rows.map(line)].join("\n")] : []),
  ];
  const head = ["---", "library_name: moiety", "tags:", ...tags.map((tag) => `  - ${tag}`), "---"].join("\n");
  const opening = `**${verdict.word}.** ${verdict.sentence}`;
  return `${[head, `# ${summary}`, opening, ...parts.flatMap(partOf)].join("\n\n")}\n`;
}

/** The same as a page, to be read or printed. */
export function cardPage({ summary, verdict, made, parts }: ModelCard): string {
  const body = ({
    title,
    sentences,
    list = [],
    table,
  }: ModelCardPart): Piece => html`${sentences.length > 0 ? html`<p>${sentences.join(" ").replaceAll("`", "")}</p>` : undefined}
${list.length > 0 ? html`<ul>${list.map((item) => html`<li>${item.replaceAll("`", "")}</li>`)}</ul>` : undefined}
${
  table
    ? wideTable(
        title,
        html`<tr>${table.titles.map((each) => html`<th scope="col">${each}</th>`)}</tr>`,
        table.rows.map(
          ([first, ...cells]) =>
            html`<tr><th scope="row">${first}</th>${cells.map((each) => html`<td>${each}</td>`)}</tr>`,
        ),
      )
    : undefined
}`;
  const idOf = (title: string) => title.toLowerCase().replaceAll(" ", "-");
  return reportPage(
    `Model card: ${summary}`,
    made,
    verdictHeader(verdict),
    parts.map((part) => section(idOf(part.title), part.title, part.title, body(part))),
  );
}
