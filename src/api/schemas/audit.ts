import { Type as t } from "@sinclair/typebox";
import { ACTOR_KINDS, type KeptAuditEntry } from "../../domain/ports/store/audit.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { Moment, namedSchema, oneOf, TextOrNull } from "./values.ts";

export const AuditEntryResponse = namedSchema(
  "AuditEntryResponse",
  {
    id: t.Integer({ description: "Increases with time; for `before`" }),
    at: Moment,
    kind: oneOf(ACTOR_KINDS),
    actor: t.String({ description: "The login, or the deployment token's name; empty for the operator and visitors" }),
    address: t.String({ description: "The client's IP address; empty for the operator" }),
    action: t.String({ description: "The operation, or the operator's command" }),
    site: TextOrNull,
    subject: t.String({ description: "Details; may be empty" }),
    summary: t.String({ description: "The change in words, for people" }),
  },
  {
    id: 512,
    at: "2026-11-20T16:05:12.418Z",
    kind: "session",
    actor: "ada",
    address: "203.0.113.9",
    action: "POST /sites/:name/deployments/:deployment_number/activate",
    site: "brisk-otter-4821",
    subject: "deployment_number=3",
    summary: "Activated deployment 3",
  },
);

export function auditEntryResponse(entry: KeptAuditEntry, summary: string): typeof AuditEntryResponse.static {
  const { id, at, kind, actor, address, action, site, subject } = entry;
  return { id, at: timestamp(at), kind, actor, address, action, site, subject, summary };
}
