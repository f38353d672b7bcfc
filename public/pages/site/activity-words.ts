import type { AuditEntry } from "../../api/types.ts";
import type { IconName } from "../../parts/icons.tsx";

/** Who made a change, in words. */
export function actorOf({ kind, actor }: Pick<AuditEntry, "kind" | "actor">): string {
  switch (kind) {
    case "session":
      return actor;
    case "deployment_token":
      return `Token ${actor}`;
    case "operator":
      return "The operator";
    case "visitor":
      return "A visitor";
  }
}

/** The parts of an operation that have an icon; the first that it contains decides. */
const ICONS: readonly (readonly [part: string, icon: IconName])[] = [
  ["POST /deploy", "upload"],
  ["/activate", "upload"],
  ["/aliases", "tag"],
  ["/domains", "globe"],
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
  const rest = action.replace("/deployments/:deployment_number", "");
  return ICONS.find(([part]) => rest.includes(part))?.[1] ?? "settings";
}
