import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "CODE_OF_CONDUCT.md",
  ...markdownIn("docs"),
  ...markdownIn("src"),
];

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => join(folder, path));
}

function textOf(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

/** A heading's anchor, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

function anchorsOf(page: string): string[] {
  return Array.from(textOf(page).matchAll(/^#+ (.+)$/gm), ([, heading]) => anchorOf(heading));
}

/** Links of a page that lead nowhere. */
function brokenLinks(page: string): string[] {
  const prose = textOf(page).replace(/```[\s\S]*?```/g, "");
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => link).filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path, anchor] = link.split("#");
    const target = path === "" ? page : relative(root, join(root, dirname(page), path));
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
}

/** Files and folders of the project that a page names between backticks. Names with <…>, * or … stand for several. */
function namedPaths(page: string): string[] {
  return Array.from(
    textOf(page).matchAll(/`((?:src|bench|assembly|docs|examples|proto|scripts)\/[^`\s]*|\w+\.config\.ts)`/g),
  )
    .map(([, path]) => path)
    .filter((path) => !/[<*…]/.test(path));
}

describe("documents", () => {
  it.each(pages)("%s has links that lead somewhere", (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it.each(["ARCHITECTURE.md", "CONTRIBUTING.md"])("%s names files that exist", (page) => {
    expect(namedPaths(page).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("ARCHITECTURE.md names every room", () => {
    const rooms = readdirSync(join(root, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== "testing")
      .map(({ name }) => `src/${name}/`);
    const named = namedPaths("ARCHITECTURE.md");
    expect(rooms.filter((room) => !named.includes(room))).toEqual([]);
  });

  it("the decisions are all listed", () => {
    const list = textOf("docs/decisions/README.md");
    const decisions = readdirSync(join(root, "docs/decisions")).filter((name) => /^\d/.test(name));
    expect(decisions.filter((name) => !list.includes(`(${name})`))).toEqual([]);
  });
});
