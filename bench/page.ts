import { readFile } from "node:fs/promises";

const [from, to] = ["<!-- figures -->", "<!-- end of figures -->"] as const;

/** The page with new figures between its marks; the figures alone where there is no page, or it has no marks. */
export async function onPage(path: string, figures: string): Promise<string> {
  const page = await readFile(path, "utf8").catch(() => "");
  const [start, end] = [page.indexOf(from), page.indexOf(to)];
  if (start < 0 || end < start) return `${figures}\n`;
  return `${page.slice(0, start + from.length)}\n\n${figures}\n\n${page.slice(end)}`;
}
