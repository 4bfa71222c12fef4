import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";

const pages = join(import.meta.dirname, "..", "pages");

/** The pages of a folder by their titles. */
function pagesIn(folder) {
  const names = readdirSync(join(pages, folder)).filter((name) => name.endsWith(".md") && name !== "index.md");
  return names.sort().map((name) => {
    const [, title] = /^# (.+)$/m.exec(readFileSync(join(pages, folder, name), "utf8")) ?? [];
    return { text: title ?? name, link: `/${folder}/${name.replace(/\.md$/, "")}` };
  });
}

const part = (text, folder, collapsed = true) => ({ text, collapsed, items: pagesIn(folder) });

export default defineConfig({
  title: "Moiety",
  description: "Fair clustering of people across institutions that may not pool their data",
  srcDir: "pages",
  outDir: "dist",
  cleanUrls: false,
  // What is no page of the site: folders and sources of the repository, which a test of the documents checks.
  ignoreDeadLinks: [/(^|\/)(src|examples|bench|simulate|deploy|web|assembly|proto)(\/|$)/, /LICENSE|CITATION/],
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Documentation", link: "/docs/" },
      { text: "API", link: "/api/" },
      { text: "Try it", link: "/explore/index.html", target: "_self" },
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          { text: "All pages", link: "/docs/" },
          { text: "From a CSV file to a fair clustering", link: "/docs/tutorial" },
          { text: "Two banks and a hospital", link: "/docs/federation-tutorial" },
        ],
      },
      part("For you", "docs/for", false),
      part("How to", "docs/how-to"),
      part("Explanation", "docs/explanation"),
      part("Reference", "docs/reference"),
      part("Decisions", "docs/decisions"),
      { text: "API reference", link: "/api/" },
      { text: "Architecture", link: "/ARCHITECTURE" },
      { text: "Changelog", link: "/CHANGELOG" },
    ],
  },
});
