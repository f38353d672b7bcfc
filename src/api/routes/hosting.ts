import { Elysia } from "elysia";
import { callerOf } from "../authenticate.ts";
import { describe } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { HostingCapabilityResponse, hostingCapabilityResponse } from "../schemas/hosting.ts";

/** What a client may know before it uploads: where the site will be, and how large it may be. */
export function hostingRoutes(ports: ApiPorts) {
  return new Elysia().get(
    "/capabilities/hosting",
    async ({ request }) => {
      await callerOf(ports, request);
      return hostingCapabilityResponse(ports.links, ports.limits);
    },
    {
      response: { 200: HostingCapabilityResponse },
      detail: describe({
        summary: "Get where sites are hosted, and the limits of an upload",
        tags: ["Deploy and sites"],
        credential: "any",
      }),
    },
  );
}
