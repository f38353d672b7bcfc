import { createHash } from "node:crypto";
import style from "./page.css" with { type: "text" };

/** The page brings its style along and needs nothing from anywhere. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; frame-ancestors 'self'; form-action`;

/** Returns a small page, light or dark as the visitor's system is. The texts are our own: nothing in them is escaped. A null
 * status is not shown; a form may be sent to this host alone. */
export function renderPage(
  status: number | null,
  title: string,
  text: string,
  form = "",
): { html: string; policy: string } {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${status === null ? "" : `<p class="status" aria-hidden="true">${status}</p>\n`}<h1>${title}</h1>
<p>${text}</p>
${form}</main>
</body>
</html>
`;
  return { html, policy: `${POLICY} ${form === "" ? "'none'" : "'self'"}` };
}
