import type { ApiDocument, Schema } from "../openapi/read.ts";
import { documentHead, html, type Markup } from "../pages/html.ts";
import { operationEntry } from "./operation.ts";
import { type Group, groupsOf, type Listed } from "./operation-groups.ts";
import { fieldList, reference, schemaId } from "./schema.ts";
import { prose } from "./text.ts";

const DESCRIPTION = html`<meta name="description" content="Every operation of the HTTP API of this Vitrine server, with its fields, responses and errors.">
`;

/** Returns the API reference, generated from the OpenAPI document only. It needs no script. */
export function referencePage(document: ApiDocument): Markup {
  const groups = groupsOf(document);
  const [{ url: base = "" } = {}] = document.servers;
  return html`${documentHead({ title: "API reference", style: "reference.css", more: DESCRIPTION })}<body class="reference">
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><a class="wordmark" href="/"><img src="/assets/icon.svg" alt="" width="24" height="24"> Vitrine</a> <span class="muted">API reference</span></header>
<div class="columns">
<nav class="index" aria-label="Operations">
${groups.map(indexEntry)}
<a class="group" href="#schemas">Schemas</a>
</nav>
<main id="content">
${introduction(document, base)}
${groups.map(([tag, operations]) => group(tag, operations, base))}
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>
${Object.entries(document.components.schemas).map(schemaEntry)}
</section>
</main>
</div>
</body>
</html>
`;
}

// --- internal ---

function indexEntry([tag, operations]: Group): Markup {
  const links = operations.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`);
  return html`<a class="group" href="#${idOf(tag)}">${tag}</a><ul>${links}</ul>`;
}

function introduction({ info }: ApiDocument, base: string): Markup {
  const error = reference("ErrorResponse");
  return html`<h1>API reference</h1>
<p>${info.description} This server runs version ${info.version}. Its API is at <code>${base}</code>.</p>
<p>Send a credential as <code>Authorization: Bearer TOKEN</code>. A session token, <code>vts_…</code>, acts for a person: <code>vitrine login</code> gets one by <a href="#postAuthDevice">device authorization</a>. A deployment token, <code>vtd_…</code>, acts for one site: <a href="#postTokens">create one</a> for each program that deploys.</p>
<p>Bodies are JSON in UTF-8. Every error is an ${error} whose <code>detail</code> begins with its name, and a request that does not fit its schema is answered 422 with an ${reference("HTTPValidationError")}. Generate a client from the <a href="/openapi.json">OpenAPI document</a>.</p>`;
}

function group(tag: string, operations: readonly Listed[], base: string): Markup {
  const entries = operations.map((operation) => operationEntry(operation, base));
  return html`<section aria-labelledby="${idOf(tag)}"><h2 id="${idOf(tag)}">${tag}</h2>
${entries}
</section>`;
}

function schemaEntry([name, schema]: [string, Schema]): Markup {
  return html`<details><summary><h3><code>${name}</code></h3></summary>
<div id="${schemaId(name)}" class="entry">${schema.description ? html`<p>${prose(schema.description)}.</p>` : null}${fieldList(schema)}</div></details>`;
}

function idOf(tag: string): string {
  return tag.toLowerCase().replace(/\W+/g, "-");
}
