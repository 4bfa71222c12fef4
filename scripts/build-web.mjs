// Bundles the pages into dist/web: explore and those of the federation, their scripts in parts that load when they are needed, and
// their sheets.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, transform } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = join(root, "dist", "web");
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

/** In a page the host is the browser. */
const alias = { "#host": join(root, "src/host/browser.ts") };

/** The federation's pages, by their scripts. */
const federation = ["coordinator", "site", "analyst"];
await build({
  entryPoints: {
    app: join(root, "web/main.tsx"),
    engine: join(root, "web/engine/worker.ts"),
    map: join(root, "web/map/worker.ts"),
    ...Object.fromEntries(federation.map((name) => [name, join(root, `web/federation/${name}.tsx`)])),
  },
  outdir: out,
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: "es2022",
  chunkNames: "[name]-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "linked",
  alias,
  logLevel: "error",
});
/** Threads and kernels, which no auditor needs. */
const withoutThreads = {
  name: "without-threads",
  setup(bundle) {
    bundle.onResolve({ filter: /\/embedded\// }, ({ path }) => ({ path, namespace: "nothing" }));
    bundle.onLoad({ filter: /./, namespace: "nothing" }, () => ({ contents: "module.exports = {}" }));
  },
};
// The auditors' page is one classic script, which also works where it was opened as a file.
await build({
  entryPoints: [join(root, "web/federation/audit.tsx")],
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "linked",
  alias,
  plugins: [withoutThreads],
  logLevel: "error",
});
const { style } = await import(pathToFileURL(join(root, "dist/report/html/style.js")).href);
const text = (name) => readFileSync(join(root, "web", name), "utf8");
const shared = `${style}\n${text("style.css")}`;
const sheet = async (name, rules) =>
  writeFileSync(join(out, name), (await transform(rules, { loader: "css", minify: true })).code);
await sheet("style.css", shared);
await sheet("federation.css", `${shared}\n${text("federation/style.css")}`);
copyFileSync(join(root, "web/index.html"), join(out, "index.html"));
const page = text("federation/page.html");
for (const name of federation) writeFileSync(join(out, `${name}.html`), page.replace("SCRIPT", `${name}.js`));
writeFileSync(join(out, "audit.html"), page.replace('type="module" src="SCRIPT"', 'defer src="audit.js"'));
