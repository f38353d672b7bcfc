import { may, type Operation, type Role } from "../../../../src/domain/model/role.ts";
import type { IconName } from "../../../parts/icons.tsx";
import { SETTINGS_PANELS, type SettingsPanel } from "../../../router.ts";

interface Panel {
  readonly title: string;
  readonly icon: IconName;
  /** What a role must allow, because without it the panel would hold refusals alone. */
  readonly operation: Operation;
}

/** The pages of a site's settings. */
export const PANELS: Readonly<Record<SettingsPanel, Panel>> = {
  access: { title: "Access", icon: "lock", operation: "change_access" },
  members: { title: "Members", icon: "user", operation: "read_members" },
  domains: { title: "Domains", icon: "globe", operation: "manage_domains" },
  tokens: { title: "CI access", icon: "key", operation: "make_tokens" },
  shares: { title: "Shares", icon: "users", operation: "manage_shares" },
  webhooks: { title: "Webhooks", icon: "bell", operation: "manage_webhooks" },
  retention: { title: "Retention", icon: "archive", operation: "manage_retention" },
  danger: { title: "Danger zone", icon: "trash", operation: "delete" },
};

/** Returns the pages that a role is offered, in their order. */
export function panelsOf(role: Role): readonly SettingsPanel[] {
  return SETTINGS_PANELS.filter((panel) => may(role, PANELS[panel].operation));
}
