import { Elysia, t } from "elysia";
import { listChanges, listSiteChanges } from "../../domain/audit/audit.ts";
import { authenticated } from "../authenticate.ts";
import { describe, OWNED_SITE } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { AuditEntryResponse, auditEntryResponse } from "../schemas/audit.ts";
import { pageOf, pageQuery, siteParams } from "../schemas/params.ts";

const tags = ["Audit"];

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

const query = pageQuery(MAX_PAGE, "entries with a lower id", { description: `${DEFAULT_PAGE} where it is not given` });

const response = { 200: t.Array(AuditEntryResponse) };

export function auditRoutes(ports: ApiPorts) {
  return new Elysia()
    .use(authenticated(ports))
    .get(
      "/audit",
      async ({ caller, query }) =>
        (await listChanges(ports, caller, pageOf(query, DEFAULT_PAGE))).map(auditEntryResponse),
      {
        query,
        response,
        detail: describe({
          summary: "List changes by you and of your sites, newest first",
          description: "Reads and refused requests are not recorded. Entries are kept for `--audit-days`.",
          tags,
          errors: { 403: "a session token is required" },
        }),
      },
    )
    .get(
      "/sites/:name/audit",
      async ({ caller, params, query }) =>
        (await listSiteChanges(ports, caller, params.name, pageOf(query, DEFAULT_PAGE))).map(auditEntryResponse),
      {
        params: siteParams,
        query,
        response,
        detail: describe({
          summary: "List a site's changes, newest first",
          tags,
          errors: OWNED_SITE,
        }),
      },
    );
}
