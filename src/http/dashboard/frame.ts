import { pagePolicy } from "./policy.ts";

/** A page of the base host that is made on the server: sign-in, the first account, a device's approval. */
export interface FramedPage {
  /** In the window's title and nowhere else: the page has a heading of its own. */
  readonly title: string;
  /** HTML; whatever a person or a program wrote in it went through `escapeHtml`. */
  readonly body: string;
  readonly status?: number;
  readonly formAction?: string;
  readonly headers?: Record<string, string>;
}

/**
 * Returns the page in the dashboard's look. The body is what stands in the card: an `h1`, paragraphs, and forms of
 * `class="form"` with `label class="field"`, `input`, `button class="button primary wide"`, and
 * `p class="notice error" role="alert"` for what went wrong.
 */
export async function framedPage({ title, body, status = 200, formAction, headers }: FramedPage): Promise<Response> {
  const { dashboard } = await import("./assets.ts");
  return new Response(html(title, body, dashboard.address), {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      ...pagePolicy(formAction === undefined ? {} : { formAction }),
      ...headers,
    },
  });
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Returns text as it may stand in HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

// --- internal ---

function html(title: string, body: string, address: (source: string) => string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Vitrine</title>
<link rel="icon" href="${address("icon.svg")}">
<link rel="stylesheet" href="${address("style.css")}">
<script src="${address("theme.ts")}"></script>
</head>
<body class="framed">
<main class="framed-main">
<p class="wordmark"><img src="${address("icon.svg")}" alt="" width="28" height="28"> Vitrine</p>
<div class="card framed-card">
${body}
</div>
</main>
</body>
</html>
`;
}
