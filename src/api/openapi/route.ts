import { Elysia } from "elysia";
import { answerWith, type Packed, pack } from "../packed.ts";
import type { ApiPorts } from "../ports.ts";

/** GET /openapi.json. It is unpacked at the first request: most threads of most runs never need it. */
export function openApiRoute(ports: Pick<ApiPorts, "links" | "version">) {
  let document: Promise<Packed> | null = null;
  return new Elysia().get(
    "/openapi.json",
    async ({ request }) => {
      document ??= packDocument(ports);
      return answerWith(await document, request);
    },
    { detail: { hide: true } },
  );
}

async function packDocument(ports: Pick<ApiPorts, "links" | "version">): Promise<Packed> {
  const { documentOf } = await import("./read.ts");
  return pack(JSON.stringify(await documentOf(ports)), "application/json");
}
