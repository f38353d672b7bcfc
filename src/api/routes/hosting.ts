import { route } from "../route.ts";
import { HostingCapabilityResponse, hostingCapabilityResponse } from "../schemas/hosting.ts";

/** The data that a client needs before an upload: the URL of sites, and the limits. */
export const hostingRoutes = [
  route({
    endpoint: "GET /capabilities/hosting",
    summary: "Get where sites are hosted, and the limits of an upload",
    tag: "Deploy and sites",
    auth: "credential",
    response: { 200: HostingCapabilityResponse },
    handler: ({ ports }) => hostingCapabilityResponse(ports.links, ports.limits, ports.policy),
  }),
];
