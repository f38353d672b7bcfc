import type { ApiResponse, Media, Parameter } from "../openapi/read.ts";
import { html, type Markup } from "../pages/html.ts";
import { curlCommand } from "./curl.ts";
import type { Listed } from "./operation-groups.ts";
import { definition, definitions, fieldList, optional, typeOf } from "./schema.ts";
import { prose } from "./text.ts";

/** Returns an operation: one line, with the details below it when it is opened or linked to. */
export function operationEntry(operation: Listed, base: string): Markup {
  const { method, path, summary, description, operationId, parameters = [], requestBody, responses } = operation;
  return html`<details><summary><h3><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code> <span class="summary">${summary}</span></h3></summary>
<div id="${operationId}" class="entry">
${description ? html`<p>${prose(description)}</p>` : null}
<p class="muted">${credential(operation)}</p>
${parameters.length > 0 ? parameterList(parameters) : null}
${requestBody ? html`<h4>Request body</h4>${Object.entries(requestBody.content).map(body)}` : null}
<h4>Responses</h4>
${responseList(responses)}
${exampleOfSuccess(responses)}
<h4>With curl</h4>
<pre><code>${curlCommand(operation, base)}</code></pre>
</div></details>
`;
}

// --- internal ---

function credential({ security }: Listed): string {
  const [scheme] = security.flatMap((one) => Object.keys(one));
  if (scheme === undefined) return "Needs no credential.";
  return scheme === "token" ? "Takes a session token or a deployment token." : "Takes a session token.";
}

function parameterList(parameters: readonly Parameter[]): Markup {
  const entries = parameters.map(({ name, required = false, description, schema, ...parameter }) => {
    const type = html`${typeOf(schema)} in ${parameter.in}${optional(required)}`;
    return definition(name, type, { ...schema, ...(description ? { description } : {}) });
  });
  return html`<h4>Parameters</h4>${definitions(entries)}`;
}

function body([type, { schema, example }]: [string, Media]): Markup {
  const fields = schema.$ref ? html`: ${typeOf(schema)}` : null;
  return html`<p><code>${type}</code>${fields}</p>${schema.$ref ? null : fieldList(schema)}${exampleBlock(example)}`;
}

function responseList(responses: Listed["responses"]): Markup {
  const entries = Object.entries(responses).map(
    ([status, response]) =>
      html`<div><dt>${status}</dt><dd>${prose(response.description)}${bodyOf(response)}</dd></div>`,
  );
  return html`<dl class="responses">${entries}</dl>`;
}

/** Nearly every error is an ErrorResponse, which the page describes once. */
function bodyOf({ content = {} }: ApiResponse): Markup | null {
  const [[type, media] = []] = Object.entries(content);
  if (type === undefined || media === undefined) return null;
  if (type !== "application/json") return html`: <code>${type}</code>`;
  return media.schema.$ref?.endsWith("/ErrorResponse") ? null : html`: ${typeOf(media.schema)}`;
}

function exampleOfSuccess(responses: Listed["responses"]): Markup | null {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  return exampleBlock(success?.content?.["application/json"]?.example);
}

function exampleBlock(example: unknown): Markup | null {
  return example === undefined ? null : html`<pre><code>${JSON.stringify(example, null, 2)}</code></pre>`;
}
