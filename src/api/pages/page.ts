import { createHash } from "node:crypto";
import { currentLook } from "../../serving/pages/brand.ts";
import { documentHead, html, Markup } from "./html.ts";

interface Page {
  readonly title: string;
  readonly body: Markup;
  readonly status?: number;
  readonly cookies?: readonly string[];
  /** A script of the dashboard's files, such as `passkey-sign-in.js`, which may call the API. */
  readonly script?: string;
  /** Opens `url` after this many seconds. */
  readonly refresh?: { readonly seconds: number; readonly url: string };
  readonly retryAfter?: number | undefined;
}

/** Returns a page of the base URL, with the operator's brand. It works without scripts and is not cached. */
export function page({ title, body, status = 200, cookies = [], script, refresh, retryAfter }: Page): Response {
  const colors = brandColors();
  const headers = new Headers({
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policyFor(colors, script),
    "Cache-Control": "no-store",
    // The server's own forms need an Origin; other hosts get no Referer.
    "Referrer-Policy": "same-origin",
  });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  if (refresh) headers.set("Refresh", `${refresh.seconds}; url=${refresh.url}`);
  if (retryAfter !== undefined) headers.set("Retry-After", String(retryAfter));
  return new Response(layout(title, body, colors, script).text, { status, headers });
}

/** Redirects within a chain of plain navigations. */
export function redirect(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ Location: location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/**
 * Redirects after a form, through a page: browsers apply a form's policy to its whole chain of redirects, which may end
 * at a private site or begin at a provider's form.
 */
export function redirectAfterForm(title: string, url: string, cookies: readonly string[]): Response {
  const body = html`<h1>${title}</h1><p><a class="button" href="${url}">Continue</a></p>`;
  return page({ title, body, cookies, refresh: { seconds: 0, url } });
}

// --- internal ---

/** Allows the server's own style sheet and scripts, and no frames. */
function policyFor(colors: string | null, script: string | undefined): string {
  const hash = colors && ` 'sha256-${createHash("sha256").update(colors).digest("base64")}'`;
  const calls = script === undefined ? "" : " connect-src 'self';";
  return `default-src 'none'; script-src 'self';${calls} style-src 'self'${hash ?? ""}; img-src 'self'; base-uri 'none'; frame-ancestors 'none'`;
}

/** Returns rules that replace the accent colours by the operator's; null for the default colours. */
function brandColors(): string | null {
  const { color } = currentLook();
  const tint = "color-mix(in srgb,var(--accent) 7%,var(--surface))";
  return color && `:root{--accent:${color};--accent-solid:${color};--selected:${tint}}`;
}

function layout(title: string, body: Markup, colors: string | null, script: string | undefined): Markup {
  const { name, isBranded, footer } = currentLook();
  const more = script === undefined ? undefined : html`<script src="/assets/${script}" type="module"></script>\n`;
  const override = colors === null ? null : html`<style>${new Markup(colors)}</style>\n`;
  return html`${documentHead({ title, owner: name ?? undefined, style: "framed.css", more, override })}<body class="framed">
<header class="mark">${mark()}</header>
<main>
${body}
</main>
${isBranded ? html`<footer>${new Markup(footer)}</footer>\n` : null}</body>
</html>
`;
}

/** The operator's logo, or else the name, or else the mark of Vitrine. */
function mark(): Markup {
  const { name, header } = currentLook();
  if (header !== "") return new Markup(header);
  if (name !== null) return html`<strong>${name}</strong>`;
  return html`<img src="/assets/icon.svg" alt="Vitrine" width="36" height="36">`;
}
