import { Elysia } from "elysia";
import { findAccess, setAccess } from "../../domain/access/access.ts";
import { authenticated } from "../authenticate.ts";
import { describe, OWNED_SITE } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { SiteAccessResponse } from "../schemas/access.ts";
import { siteParams as params } from "../schemas/params.ts";

const tags = ["Access"];
const errors = OWNED_SITE;

export function accessRoutes(ports: ApiPorts) {
  return new Elysia()
    .use(authenticated(ports))
    .get("/sites/:name/access", ({ caller, params }) => findAccess(ports, caller, params.name), {
      params,
      response: { 200: SiteAccessResponse },
      detail: describe({ summary: "Get site visibility", tags, errors }),
    })
    .put("/sites/:name/access", ({ caller, params }) => setAccess(ports, caller, params.name, true), {
      params,
      response: { 200: SiteAccessResponse },
      detail: describe({
        summary: "Make a site private",
        description: "Only its owner and its readers can open it, from the next request on.",
        tags,
        errors,
      }),
    })
    .delete(
      "/sites/:name/access",
      async ({ caller, params, set }) => {
        await setAccess(ports, caller, params.name, false);
        set.status = 204;
      },
      {
        params,
        detail: describe({
          summary: "Make a site public",
          description: "Everyone can open it, from the next request on. The list of readers is kept.",
          tags,
          errors,
        }),
      },
    );
}
