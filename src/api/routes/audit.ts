import { Type as t } from "@sinclair/typebox";
import { listChanges, listSiteChanges } from "../../domain/audit/audit.ts";
import { route } from "../route.ts";
import { AuditEntryResponse, auditEntryResponse } from "../schemas/audit.ts";
import { pageOf, pageQuery } from "../schemas/params.ts";

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

const common = {
  tag: "Audit",
  query: pageQuery(MAX_PAGE, "entries with a lower id", { description: `${DEFAULT_PAGE} where it is not given` }),
  response: { 200: t.Array(AuditEntryResponse) },
} as const;

export const auditRoutes = [
  route({
    ...common,
    endpoint: "GET /audit",
    summary: "List changes by you and of your sites, newest first",
    description: "Reads and refused requests are not recorded. Entries are kept for `--audit-days`.",
    auth: "session",
    handler: async ({ caller, query, ports }) => {
      const entries = await listChanges(ports, caller, pageOf(query, DEFAULT_PAGE));
      return entries.map((entry) => auditEntryResponse(entry, ports.summaryOf(entry)));
    },
  }),

  route({
    ...common,
    endpoint: "GET /sites/:name/audit",
    summary: "List a site's changes, newest first",
    auth: "site",
    operation: "read_activity",
    handler: async ({ caller, params, query, ports }) => {
      const entries = await listSiteChanges(ports, caller, params.name, pageOf(query, DEFAULT_PAGE));
      return entries.map((entry) => auditEntryResponse(entry, ports.summaryOf(entry)));
    },
  }),
];
