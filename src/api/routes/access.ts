import { findAccess, setAccess } from "../../domain/access/access.ts";
import { route } from "../route.ts";
import { SiteAccessResponse } from "../schemas/access.ts";

const common = { tag: "Access", auth: "site" } as const;

export const accessRoutes = [
  route({
    ...common,
    endpoint: "GET /sites/:name/access",
    operation: "read_access",
    summary: "Get site visibility",
    response: { 200: SiteAccessResponse },
    handler: ({ caller, params, ports }) => findAccess(ports, caller, params.name),
  }),

  route({
    ...common,
    endpoint: "PUT /sites/:name/access",
    operation: "change_access",
    summary: "Make a site private",
    description: "Only its owner and its readers can open it, from the next request on.",
    response: { 200: SiteAccessResponse },
    audit: "Made the site private",
    handler: ({ caller, params, ports }) => setAccess(ports, caller, params.name, true),
  }),

  route({
    ...common,
    endpoint: "DELETE /sites/:name/access",
    operation: "change_access",
    summary: "Make a site public",
    description: "Everyone can open it, from the next request on. The list of readers is kept.",
    audit: "Made the site public",
    handler: async ({ caller, params, ports }) => {
      await setAccess(ports, caller, params.name, false);
    },
  }),
];
