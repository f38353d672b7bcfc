import { Elysia } from "elysia";
import style from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import start from "./start.txt" with { type: "text" };

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Vitrine API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<script src="/docs/swagger-ui.js" defer></script>
<script src="/docs/start.js" defer></script>
</head>
<body><div id="reference"><p>The reference is made from <a href="/openapi.json">/openapi.json</a> by a script.</p></div></body>
</html>
`;

/** Swagger UI sets styles from its script and draws its icons from data URLs; nothing comes from any other host. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** GET /docs: the API reference, served whole from the executable. */
export function referenceRoutes() {
  const hidden = { detail: { hide: true } };
  return new Elysia()
    .get("/docs", () => new Response(PAGE, { headers: html }), hidden)
    .get("/docs/swagger-ui.css", () => asset(Bun.file(style), "text/css; charset=utf-8"), hidden)
    .get("/docs/swagger-ui.js", () => asset(Bun.file(script), "text/javascript; charset=utf-8"), hidden)
    .get("/docs/start.js", () => asset(start, "text/javascript; charset=utf-8"), hidden);
}

const html = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": POLICY,
  "Cache-Control": "public, max-age=0, must-revalidate",
};

function asset(body: Bun.BunFile | string, type: string): Response {
  return new Response(body, { headers: { "Content-Type": type, "Cache-Control": "public, max-age=3600" } });
}
