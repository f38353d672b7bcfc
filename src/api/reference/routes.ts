import { pagePolicy } from "../dashboard/policy.ts";
import { type Packed, pack, packedResponse } from "../packed.ts";
import type { ApiPorts } from "../ports.ts";
import { pageRoute } from "../route.ts";

/** The OpenAPI document, and what is made from it: the API reference, and the guide for agents. */
export const documentRoutes = [
  pageRoute("GET /openapi.json", async ({ request, ports }) => packedResponse(await packedDocument(ports), request)),
  pageRoute("GET /docs", async ({ request, ports }) =>
    packedResponse(await packedReference(ports), request, pagePolicy()),
  ),
  pageRoute("GET /llms.txt", async ({ request, ports }) => packedResponse(await packedGuide(ports), request)),
];

// --- internal ---

const packedDocument = packedOnce(async (ports) => {
  const { documentOf } = await import("../openapi/read.ts");
  return pack(JSON.stringify(await documentOf(ports)), "application/json");
});

const packedReference = packedOnce(async (ports) => {
  const { documentOf } = await import("../openapi/read.ts");
  const { referencePage } = await import("./page.ts");
  return pack(referencePage(await documentOf(ports)).text, "text/html; charset=utf-8");
});

const packedGuide = packedOnce(async ({ links, limits, mcp, downloads, version }) => {
  const { documentOf } = await import("../openapi/read.ts");
  const { agentGuide } = await import("./agent-guide.ts");
  const { TOOLS } = await import("../mcp/tools.ts");
  const guide = agentGuide(await documentOf({ links, version }), {
    base: links.base,
    siteUrl: links.site("{site}"),
    limits,
    tools: mcp.on ? TOOLS : null,
    hasClient: downloads !== null,
  });
  return pack(guide, "text/plain; charset=utf-8");
});

/** Compresses the document at the first request: most threads never need it. */
function packedOnce(make: (ports: ApiPorts) => Promise<Packed>): (ports: ApiPorts) => Promise<Packed> {
  const packed = new WeakMap<ApiPorts, Promise<Packed>>();
  return (ports) => {
    const known = packed.get(ports) ?? make(ports);
    packed.set(ports, known);
    return known;
  };
}
