import { documentHead, html, type Markup } from "./html.ts";

/** Allows the server's own style sheet and the script that applies the chosen theme, and no frames. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'";

export interface Page {
  readonly title: string;
  readonly body: Markup;
  readonly status?: number;
  readonly cookies?: readonly string[];
  /** Opens `url` after this many seconds. */
  readonly refresh?: { readonly seconds: number; readonly url: string };
  readonly retryAfter?: number | undefined;
}

/** Returns a page of the base address. It works without scripts and is not cached. */
export function page({ title, body, status = 200, cookies = [], refresh, retryAfter }: Page): Response {
  const headers = new Headers({
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    // The server's own forms need an Origin; other hosts get no Referer.
    "Referrer-Policy": "same-origin",
  });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  if (refresh) headers.set("Refresh", `${refresh.seconds}; url=${refresh.url}`);
  if (retryAfter !== undefined) headers.set("Retry-After", String(retryAfter));
  return new Response(layout(title, body).text, { status, headers });
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
export function redirectAfterForm(title: string, url: string, cookies: readonly string[] = []): Response {
  const body = html`<h1>${title}</h1><p><a class="button" href="${url}">Continue</a></p>`;
  return page({ title, body, cookies, refresh: { seconds: 0, url } });
}

function layout(title: string, body: Markup): Markup {
  return html`${documentHead({ title, style: "style.css" })}<body class="framed">
<header class="mark"><img src="/assets/icon.svg" alt="Vitrine" width="36" height="36"></header>
<main>
${body}
</main>
</body>
</html>
`;
}
