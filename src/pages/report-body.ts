/** What a report says, without the frame of its own page: its markup is that of `src/report/html/`, where every name is escaped. */
export function reportBody(page: string): string {
  const main = page.slice(page.indexOf("<main>") + "<main>".length, page.lastIndexOf("</main>"));
  return main.replace(/<div class="top">[\s\S]*?<\/div>/, "").replace(/<nav [\s\S]*?<\/nav>/, "");
}
