import { DomainError, hasMaximum } from "../errors.ts";
import { requireChangeableSite, requireSession, requireSite, roleOf } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { entryOf, groupOfEntry } from "../model/group.ts";
import type { MemberRole, Role, WorkingRole } from "../model/role.ts";
import type { Site } from "../model/site.ts";
import {
  MAX_MEMBER_GROUPS,
  MAX_MEMBERS,
  type Member,
  type MemberChange,
  type MemberRef,
} from "../ports/store/members.ts";
import type { Store } from "../ports/store.ts";
import { findPerson, type LookUpPorts, requireGroupName, requireGroups, requireLogin } from "./provider.ts";

type MemberPorts = LookUpPorts & { readonly store: Pick<Store, "sites" | "members" | "users"> };

/** A person or a group in the list of a site's members. */
export interface ListedMember {
  /** The login of a person; the name of a group after `@`. */
  readonly login: string;
  readonly role: WorkingRole;
  readonly addedAt: number;
  /** The login of the person who added it; null for the owner, and if that account was removed. */
  readonly addedBy: string | null;
}

/** Returns the people who work on a site, for those who do. Throws `not_found` and `forbidden`. */
export async function listMembers(
  { store }: Pick<MemberPorts, "store">,
  caller: Caller,
  siteName: string,
): Promise<readonly ListedMember[]> {
  return membersOf(store, await requireSite(store, caller, siteName, "read_members"));
}

/** Returns the people who work on a site: its owner first, and groups last. */
export async function membersOf(
  { users, members }: Pick<Store, "members" | "users">,
  { id, ownerId, createdAt }: Pick<Site, "id" | "ownerId" | "createdAt">,
): Promise<readonly ListedMember[]> {
  const owner = await users.find(ownerId);
  const first = { login: owner?.login ?? "", role: "owner", addedAt: createdAt, addedBy: null } as const;
  return [first, ...(await members.list(id)).map(listed)];
}

/**
 * Gives a person or a group a role on the caller's site, or another role. Throws `invalid` for an unusable login,
 * `not_found` for one that the provider does not know, `conflict` for the owner, above the limits, and for a group if
 * the provider tells none, `too_many_requests`, and `provider_lookup_failed`.
 */
export async function setMember(
  ports: MemberPorts,
  caller: Caller,
  siteName: string,
  { login, role }: { readonly login: string; readonly role: MemberRole },
): Promise<{ readonly member: ListedMember; readonly isNew: boolean }> {
  const { provider } = ports;
  const group = groupOfEntry(login);
  if (group === null) requireLogin(provider, login);
  else requireGroupName(group);
  const site = await requireChangeableSite(ports.store, caller, siteName, "manage_members");
  if (group !== null) requireGroups(provider);
  const member = group === null ? { identity: await findPerson(ports, caller, login) } : { group };
  const addedBy = requireSession(caller).user.id;
  const change = await ports.store.members.set(site.id, member, { role, addedBy, at: ports.clock.now() });
  if (!("member" in change)) throw refusal(change, site.name);
  return { member: listed(change.member), isNew: change.outcome === "added" };
}

/**
 * Removes a member from the next request on. The owner may remove every member, and members themselves. Throws
 * `not_found`, `forbidden`, and `conflict` for the owner. Also on a frozen site, because it takes access away.
 */
export async function removeMember(
  { store, clock }: Pick<MemberPorts, "store" | "clock">,
  caller: Caller,
  siteName: string,
  login: string,
): Promise<void> {
  const isSelf = requireSession(caller).user.login.toLowerCase() === login.toLowerCase();
  const site = await requireSite(store, caller, siteName, isSelf ? "leave" : "manage_members");
  if (site.role === "owner" && isSelf) throw ownerStays(siteName);
  const members = await store.members.list(site.id);
  const member = members.find((one) => isEntry(one, login));
  if (!member || !(await store.members.remove(site.id, refOf(member), clock.now()))) {
    throw new DomainError("not_found", `${siteName} has no member ${JSON.stringify(login.slice(0, 80))}`);
  }
}

/** Returns the role of the person who made a change to a site, if they do not own it, for the audit log. */
export async function roleUsed(
  store: Pick<Store, "sites">,
  caller: Caller,
  site: Pick<Site, "id" | "ownerId">,
): Promise<Exclude<Role, "owner"> | null> {
  if (caller.kind === "deployment_token") return null;
  const role = await roleOf(store, caller, site);
  return role === "owner" ? null : role;
}

// --- internal ---

function listed(member: Member): ListedMember {
  const { role, addedAt, addedBy } = member;
  return { login: entryOf(member), role, addedAt, addedBy };
}

/** Logins are compared regardless of upper and lower case, the names of groups are opaque. */
function isEntry(member: Member, login: string): boolean {
  const entry = entryOf(member);
  return entry === login || (member.userId !== null && entry.toLowerCase() === login.toLowerCase());
}

function refOf({ userId, name }: Member): MemberRef {
  return userId === null ? { group: name } : { userId };
}

function refusal({ outcome }: Exclude<MemberChange, { member: Member }>, siteName: string): DomainError {
  if (outcome === "owner") return ownerStays(siteName);
  const [most, what] = outcome === "too_many" ? [MAX_MEMBERS, "members"] : [MAX_MEMBER_GROUPS, "groups as members"];
  return hasMaximum(siteName, most, what);
}

function ownerStays(siteName: string): DomainError {
  return new DomainError("conflict", `you own ${siteName}: an operator of this server can give it to somebody else`);
}
