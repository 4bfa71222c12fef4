import { spokenLanguage } from "../language.js";
import { html, Markup } from "./markup.js";
import { style } from "./style.js";

/** A page that needs nothing: its own policy forbids it to load or run anything, should a name ever slip through. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** A browser would otherwise ask the server for one. */
const noIcon = "data:,";

export function page(title: string, body: Markup): string {
  return html`<!doctype html>
<html lang="${spokenLanguage()}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="${noIcon}">
<style>${new Markup(style)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text;
}
