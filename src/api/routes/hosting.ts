import { route } from "../route.ts";
import { HostingCapabilityResponse, hostingCapabilityResponse } from "../schemas/hosting.ts";

/** What a client may know before it uploads: where the site will be, and how large it may be. */
export const hostingRoutes = [
  route({
    method: "GET",
    path: "/capabilities/hosting",
    summary: "Get where sites are hosted, and the limits of an upload",
    tag: "Deploy and sites",
    auth: "credential",
    response: { 200: HostingCapabilityResponse },
    handler: ({ ports }) => hostingCapabilityResponse(ports.links, ports.limits),
  }),
];
