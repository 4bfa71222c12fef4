import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import type { AssignResult } from "../algorithms/assign.js";
import type { UpdateResult } from "../algorithms/update.js";
import { defined } from "../defined.js";
import type { CardOrigin, ModelCard } from "../report/card.js";
import type { ColumnsUsed } from "../table/index.js";
import { pageOrigin } from "./command-line.js";
import { type Output, textOutput } from "./outputs.js";

export const cardHelp =
  "write a model card, as Markdown, or .html to be printed: data, groups, verdict, settings, digests";

/** The card beside a model. `make` gets what is known of where it comes from. */
export async function cardOutput(
  path: string,
  source: string,
  model: { readonly file: string; readonly text: string } | undefined,
  make: (origin: CardOrigin) => ModelCard,
): Promise<Output> {
  const { cardMarkdown, cardPage } = await import("../report/card.js");
  const dataDigest = await digestOf(source);
  const card = make({
    ...pageOrigin(source),
    runtime: `Node.js ${process.versions.node}`,
    ...defined({ dataDigest }),
    ...(model === undefined
      ? {}
      : { model: { file: basename(model.file), digest: createHash("sha256").update(model.text).digest("hex") } }),
  });
  return textOutput(path, /\.html?$/i.test(path) ? cardPage(card) : cardMarkdown(card));
}

/** The card of a model that newcomers have joined. */
export async function newcomersCardOutput(
  path: string,
  source: string,
  earlier: string,
  model: { readonly file: string; readonly text: string },
  result: (AssignResult | UpdateResult) & ColumnsUsed,
): Promise<Output> {
  const { newcomersCard } = await import("../report/cluster-card.js");
  const earlierDigest = await digestOf(earlier);
  return cardOutput(path, source, model, (origin) =>
    newcomersCard(result, { ...origin, ...defined({ earlierDigest }) }),
  );
}

/** Of a file; queries, databases and pipes have none. */
async function digestOf(source: string): Promise<string | undefined> {
  const found = await stat(source).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  const hash = createHash("sha256");
  await pipeline(createReadStream(source), hash);
  return hash.digest("hex");
}
