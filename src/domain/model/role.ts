/** The roles of people on a site, from weak to strong. Each may do everything that the one before may. */
export const ROLES = ["reader", "deployer", "maintainer", "owner"] as const;

export type Role = (typeof ROLES)[number];

/** The roles that an owner can give to other people who work on the site. */
export const MEMBER_ROLES = ["maintainer", "deployer"] as const satisfies readonly Role[];

/** The roles of the people who work on a site. */
export type WorkingRole = Exclude<Role, "reader">;

export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * The credentials with which an operation can be called:
 *
 * - `any`: a session, a session of limited scope whose sites include this one, or a deployment token of the site
 * - `session`: a session. Other credentials are refused before they learn whether the site exists
 * - `account`: a session. Other credentials are refused after the site was found, because they own nothing
 */
type OperationCredential = "any" | "session" | "account";

interface OperationRule {
  /** The weakest role that may call it. */
  readonly role: Role;
  readonly credential: OperationCredential;
  /** Completes the sentence "this role may …". */
  readonly does: string;
}

/** Every operation on a site. Routes, use cases, the matrix in the documentation and the permission test use this table. */
export const OPERATIONS = {
  open: { role: "reader", credential: "session", does: "open the private site and its previews" },
  deploy: { role: "deployer", credential: "any", does: "deploy, and make previews" },
  activate: { role: "deployer", credential: "any", does: "activate a deployment" },
  move_aliases: { role: "deployer", credential: "any", does: "set, move and remove aliases" },
  list_deployments: { role: "deployer", credential: "any", does: "list deployments with their warnings, and aliases" },
  read_deployments: {
    role: "deployer",
    credential: "session",
    does: "read the changes, files and archive of a deployment",
  },
  read_report: { role: "deployer", credential: "any", does: "read the report of a deployment" },
  read_analytics: { role: "deployer", credential: "session", does: "read analytics" },
  explain: { role: "deployer", credential: "session", does: "explain the response to a URL" },
  read_activity: { role: "deployer", credential: "session", does: "read the activity, without addresses" },
  read_access: { role: "deployer", credential: "account", does: "see whether the site is private" },
  read_domains: { role: "deployer", credential: "account", does: "read custom domains and their state" },
  read_retention: {
    role: "deployer",
    credential: "session",
    does: "read the retention policy and what it would delete",
  },
  read_members: { role: "deployer", credential: "session", does: "list members" },
  leave: { role: "deployer", credential: "session", does: "stop being a member" },
  make_tokens: {
    role: "deployer",
    credential: "session",
    does: "create, list and revoke deployment tokens of their own",
  },
  read_addresses: { role: "maintainer", credential: "session", does: "see network addresses in the activity" },
  change_access: { role: "maintainer", credential: "account", does: "make the site private or public" },
  manage_readers: { role: "maintainer", credential: "account", does: "list, add and remove readers" },
  manage_domains: { role: "maintainer", credential: "account", does: "add, check and remove custom domains" },
  manage_shares: { role: "maintainer", credential: "session", does: "list, create and revoke shares" },
  manage_webhooks: { role: "maintainer", credential: "session", does: "manage webhooks and their deliveries" },
  manage_publishers: { role: "maintainer", credential: "session", does: "list, add and remove publishers" },
  manage_tokens: {
    role: "maintainer",
    credential: "session",
    does: "list and revoke all deployment tokens of the site",
  },
  manage_previews: { role: "maintainer", credential: "session", does: "read and change the policy for previews" },
  manage_retention: {
    role: "maintainer",
    credential: "session",
    does: "change the retention policy, and pin deployments",
  },
  change_tags: { role: "maintainer", credential: "session", does: "change tags" },
  change_expiry: { role: "maintainer", credential: "session", does: "change when the site expires" },
  delete_deployment: { role: "maintainer", credential: "session", does: "delete a deployment" },
  manage_members: { role: "owner", credential: "session", does: "add, change and remove members" },
  rename: { role: "owner", credential: "session", does: "rename the site" },
  delete: { role: "owner", credential: "session", does: "delete the site" },
} as const satisfies Readonly<Record<string, OperationRule>>;

export type Operation = keyof typeof OPERATIONS;

/** Returns whether a role allows an operation on a site; null is no role. */
export function may(role: Role | null, operation: Operation): boolean {
  return rankOf(role) >= rankOf(OPERATIONS[operation].role);
}

/** Returns whether somebody works on the site: its owner, maintainers and deployers. */
export function isMember(role: Role | null): role is WorkingRole {
  return role !== null && role !== "reader";
}

/** Returns the strongest of several roles; null for none. */
export function strongest(roles: readonly (Role | null)[]): Role | null {
  return roles.reduce((best, role) => (rankOf(role) > rankOf(best) ? role : best), null);
}

// --- internal ---

function rankOf(role: Role | null): number {
  return role === null ? -1 : ROLES.indexOf(role);
}
