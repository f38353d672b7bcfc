import { Elysia } from "elysia";
import { pagePolicy } from "../dashboard/policy.ts";
import { answerWith, type Packed, pack } from "../packed.ts";
import type { ApiPorts } from "../ports.ts";

/** GET /docs: the API reference, a page of plain HTML that is made from the OpenAPI document at the first request. */
export function referenceRoutes(ports: Pick<ApiPorts, "links" | "version">) {
  let page: Promise<Packed> | null = null;
  return new Elysia().get(
    "/docs",
    async ({ request }) => {
      page ??= packPage(ports);
      return answerWith(await page, request, pagePolicy());
    },
    { detail: { hide: true } },
  );
}

async function packPage(ports: Pick<ApiPorts, "links" | "version">): Promise<Packed> {
  const { documentOf } = await import("../openapi/read.ts");
  const { referencePage } = await import("./page.ts");
  return pack(referencePage(await documentOf(ports)).text, "text/html; charset=utf-8");
}
