import { ISOLATED } from "../http/resource-policy.ts";
import { currentLook } from "./brand.ts";

/** Responds with the operator's logo for the pages. An SVG that is opened by itself cannot run or load anything. */
export function respondWithLogo(): Response {
  const { logo } = currentLook();
  const caching = logo ? "public, max-age=86400" : "no-store";
  const common = { "x-content-type-options": "nosniff", "cache-control": caching, ...ISOLATED };
  if (logo === null)
    return new Response("not found\n", { status: 404, headers: { ...common, "content-type": PLAIN_TEXT } });
  const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  return new Response(logo.bytes, {
    headers: { ...common, "content-type": logo.type, "content-security-policy": policy },
  });
}

const PLAIN_TEXT = "text/plain; charset=utf-8";

/** Decorative drawings on a grid of 24, by status. */
const CLOCK = "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M12 7.5V12l3 2";
const LOCK = "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3";
const SEARCH = "M11 4.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13m4.8 11.3L20 20";
const SNOWFLAKE = "M12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9M9.5 4.5 12 7l2.5-2.5m-5 15L12 17l2.5 2.5";
const WARNING = "M12 4 2.5 20h19zM12 10v4.5m0 2.6v.2";
const SIGNS: Readonly<Record<number, string>> = { 403: SNOWFLAKE, 404: SEARCH, 410: CLOCK, 429: CLOCK, 503: CLOCK };

/**
 * Returns a small page, light or dark like the visitor's system. Texts are the server's own and not escaped. A null
 * status is not shown. A form can be submitted to this host only.
 */
export function renderPage(
  status: number | null,
  title: string,
  text: string,
  form = "",
): { html: string; policy: string } {
  const look = currentLook();
  const sign = status === null ? LOCK : (SIGNS[status] ?? WARNING);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${look.style}</style>
</head>
<body>
<main>
${look.header}<div class="sign"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${sign}"/></svg></div>
${status === null ? "" : `<p class="status" aria-hidden="true">${status}</p>\n`}<h1>${title}</h1>
<p>${text}</p>
${form}</main>
<footer>${look.footer}</footer>
</body>
</html>
`;
  return { html, policy: `${look.policy} ${form === "" ? "'none'" : "'self'"}` };
}
