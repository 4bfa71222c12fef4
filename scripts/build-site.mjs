// npm run docs: the documentation as a site, in site/dist: the pages of docs/, the API reference from the sources, a search that needs no
// server, and the explore page to try. Nothing in it is loaded from elsewhere. Links that lead nowhere end this with 1.
// npm run docs -- --commands runs every command of the pages first.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const site = join(root, "site");
const pages = join(site, "pages");

function run(program, args, cwd = site) {
  const { status } = spawnSync(program, args, { cwd, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}

/** A program of the site's own packages. */
const bin = (name) => join(site, "node_modules", ".bin", name);

/** Installs when the lock file has changed: afterwards the site is built without a network. */
function install() {
  const stamp = join(site, "node_modules", ".moiety-lock");
  const lock = createHash("sha256")
    .update(readFileSync(join(site, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  run("npm", ["install", "--no-save", "--no-audit", "--no-fund"]);
  writeFileSync(stamp, lock);
}

/** The pages lie as they do in the repository, so that their links hold; those beside docs/ come along. */
function gather() {
  rmSync(pages, { recursive: true, force: true });
  cpSync(join(root, "docs"), join(pages, "docs"), { recursive: true });
  const beside = ["ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SECURITY", "CODE_OF_CONDUCT"].map(
    (name) => `${name}.md`,
  );
  for (const name of beside) cpSync(join(root, name), join(pages, name));
  for (const folder of readdirSync(pages, { recursive: true }).filter((name) => name.endsWith("README.md"))) {
    cpSync(join(pages, folder), join(pages, dirname(folder), "index.md"));
    rmSync(join(pages, folder));
  }
  cpSync(join(site, "index.md"), join(pages, "index.md"));
  mkdirSync(join(pages, "public"), { recursive: true });
  cpSync(join(root, "dist", "web"), join(pages, "public", "explore"), { recursive: true });
}

/** Placeholders such as <file> are text, and no tags, outside of code. */
function escapeTags(folder) {
  for (const name of readdirSync(folder, { recursive: true }).filter((each) => each.endsWith(".md"))) {
    const path = join(folder, name);
    const text = readFileSync(path, "utf8").replaceAll("README.md", "index.md");
    let fenced = false;
    const lines = text.split("\n").map((line) => {
      if (line.startsWith("```")) fenced = !fenced;
      if (fenced || line.startsWith("    ")) return line;
      const pieces = line.split(/(`[^`]*`)/);
      return pieces
        .map((piece, at) =>
          at % 2 === 1 ? piece : piece.replace(/<(?=[a-z/])/gi, "&lt;").replaceAll("{{", "&#123;&#123;"),
        )
        .join("");
    });
    writeFileSync(path, lines.join("\n"));
  }
}

/** Whatever a page loads is in the site. */
function checkSelfContained(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".html"));
  const loading = files.filter((name) =>
    /<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="(?:https?:)?\/\//.test(readFileSync(join(folder, name), "utf8")),
  );
  if (loading.length === 0) return;
  console.error(`these pages load something from elsewhere: ${loading.join(", ")}`);
  process.exit(1);
}

install();
if (process.argv.includes("--commands")) run(process.execPath, [join(root, "scripts", "readme.mjs")], root);
gather();
escapeTags(pages);
run(bin("typedoc"), ["--options", "typedoc.json"]);
run(bin("vitepress"), ["build"]);
checkSelfContained(join(site, "dist"));
process.stdout.write(`Wrote ${join(site, "dist")}: open index.html through any server of files.\n`);
