import type { AuditEntry } from "../../api/types.ts";
import type { IconName } from "../../parts/icons.tsx";

/** Describes the actor of a change. */
export function actorOf({ kind, actor }: Pick<AuditEntry, "kind" | "actor">): string {
  switch (kind) {
    case "session":
    case "mcp":
      return actor;
    case "deployment_token":
      return `Token ${actor}`;
    case "operator":
      return "The operator";
    case "visitor":
      return "A visitor";
    case "server":
      return "The server";
  }
}

/** Parts of operations that have an icon; the first match decides. */
const ICONS: readonly (readonly [part: string, icon: IconName])[] = [
  ["POST /deploy", "upload"],
  ["/activate", "upload"],
  ["/aliases", "tag"],
  ["/domains", "globe"],
  ["/members", "user"],
  ["/admin/users", "user"],
  ["/account/", "user"],
  ["/tokens", "key"],
  ["/publishers", "branch"],
  ["/shares", "link"],
  ["/access", "lock"],
  ["/previews", "lock"],
  ["/webhooks", "bell"],
  ["/retention", "archive"],
  ["/pin", "pin"],
];

/** The icon for an operation such as `PUT /sites/:name/access`. */
export function iconOf(action: string): IconName {
  if (action === "DELETE /sites/:name/deployments/:deployment_number") return "trash";
  const rest = action.replace("/deployments/:deployment_number", "");
  return ICONS.find(([part]) => rest.includes(part))?.[1] ?? "settings";
}
