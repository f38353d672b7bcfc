import { Type as t } from "@sinclair/typebox";
import type { NodeStatus } from "../../domain/ports/store/nodes.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { Moment, namedSchema, oneOf } from "./values.ts";

export const NodeResponse = namedSchema(
  "NodeResponse",
  {
    name: t.String(),
    address: t.String({ description: "Where the other nodes and the balancer reach it" }),
    version: t.String(),
    state: oneOf(["live", "isolated", "draining"], {
      description:
        "An isolated node has not reached the database for some seconds: it is cut off, or it ended unexpectedly. A draining one ends soon",
    }),
    applied: t.Integer({ description: "The position in the log of changes up to which its visitors see them" }),
    last_seen_at: Moment,
  },
  {
    name: "eu-1",
    address: "http://10.0.4.11:8080",
    version: "0.5.0",
    state: "live",
    applied: 18_204,
    last_seen_at: "2026-11-20T16:05:12.418Z",
  },
);

export function nodeResponse({ lastSeenAt, ...node }: NodeStatus): typeof NodeResponse.static {
  return { ...node, last_seen_at: timestamp(lastSeenAt) };
}
