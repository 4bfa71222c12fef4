// Bundles the explore page into dist/web: one page, its scripts in parts that load when they are needed, and one sheet.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = join(root, "dist", "web");
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

/** In a page the host is the browser. */
const browserHost = {
  name: "browser-host",
  setup(bundle) {
    bundle.onResolve({ filter: /^\.\/node\.js$/ }, ({ importer }) =>
      /[\\/]src[\\/]host[\\/]/.test(importer) ? { path: join(root, "src/host/browser.ts") } : undefined,
    );
  },
};

await build({
  entryPoints: { app: join(root, "web/main.tsx"), engine: join(root, "web/engine/worker.ts") },
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
  plugins: [browserHost],
  logLevel: "error",
});
const { style } = await import(pathToFileURL(join(root, "dist/report/html/style.js")).href);
writeFileSync(join(out, "style.css"), `${style}\n${readFileSync(join(root, "web/style.css"), "utf8")}`);
copyFileSync(join(root, "web/index.html"), join(out, "index.html"));
