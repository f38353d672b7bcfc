import { isLocalLogin, LOCAL_LOGIN_RULE, newLocalUser } from "../accounts/accounts.ts";
import { checkNewPassword } from "../accounts/password-rules.ts";
import type { PasswordSignIn } from "../accounts/password-sign-in.ts";
import { DomainError } from "../errors.ts";
import type { Caller } from "../model/caller.ts";
import { requireUnfrozenSite } from "../model/freeze.ts";
import { requireOperator, requireRecentOperator } from "../model/operator.ts";
import { checkUserName } from "../model/user.ts";
import type { IdentityProvider } from "../ports/identity.ts";
import type { AccountLink, InvitedTo, NewAccountLink } from "../ports/store/account-links.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Passwords, Secrets } from "../ports/system.ts";
import { DAY } from "../timestamp.ts";
import { requireUser } from "./people.ts";
import { requireAnySite } from "./sites.ts";

/** The lifetime of an invitation. */
const INVITATION_MS = 7 * DAY;
/** The lifetime of a link that sets a new password. */
const PASSWORD_LINK_MS = DAY;

interface AccountLinkPorts {
  readonly store: Pick<Store, "users" | "sites" | "accountLinks">;
  readonly provider: Pick<IdentityProvider, "name" | "method" | "label">;
  readonly passwords: Pick<Passwords, "hash">;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** A link that was just created. Its token is shown once. */
export interface CreatedLink {
  readonly login: string;
  readonly token: string;
  readonly expiresAt: number;
}

/** Somebody who is to create their own account. */
export interface Invitation {
  readonly login: string;
  readonly name: string | null;
  /** The site of which they become a member; null for none. */
  readonly member: InvitedTo | null;
}

/** Like `createInvitation`, for operators who are signed in. Throws `forbidden` for others, before any other check. */
export async function invite(
  ports: AccountLinkPorts,
  caller: Caller,
  invitation: Invitation,
): Promise<CreatedInvitation> {
  return createInvitation(ports, requireOperator(caller).user.id, invitation);
}

type CreatedInvitation = CreatedLink & Pick<AccountLink, "invitedTo">;

/**
 * Creates a link with which somebody creates their own account; an earlier one for the login becomes invalid.
 * `invitedBy` is null for the operator at the server's command line. Throws `conflict` if the login is taken or another
 * provider has the accounts, `invalid` for an invalid login or name, and `not_found` for an unknown site.
 */
export async function createInvitation(
  ports: AccountLinkPorts,
  invitedBy: number | null,
  { login, name, member }: Invitation,
): Promise<CreatedInvitation> {
  requireLocalAccounts(ports);
  if (!isLocalLogin(login)) {
    throw new DomainError("invalid", LOCAL_LOGIN_RULE);
  }
  checkUserName(name);
  if (await ports.store.users.findByLogin("local", login)) {
    throw new DomainError("conflict", `${login} has an account already`);
  }
  const site = member && (await requireAnySite(ports.store, member.siteName));
  if (site) requireUnfrozenSite(site);
  const membership = member && site && { siteId: site.id, role: member.role, addedBy: invitedBy };
  const link = await newLink(
    ports,
    { kind: "invitation", login, userId: null, name, member: membership },
    INVITATION_MS,
  );
  return { ...link, invitedTo: member && site && { ...member, siteName: site.name } };
}

/**
 * Creates a link with which a user sets a new password; an earlier one becomes invalid. Throws `forbidden` without a
 * recent sign-in, `not_found`, and `conflict` for a user whose password another provider manages.
 */
export async function makePasswordLink(ports: AccountLinkPorts, caller: Caller, login: string): Promise<CreatedLink> {
  requireRecentOperator(caller, ports.clock.now());
  const user = await requireUser(ports, login);
  requireLocalAccounts(ports);
  if (user.provider !== "local") throw new DomainError("conflict", `${user.login} has no password here`);
  const { id: userId, name } = user;
  return newLink(ports, { kind: "password", login: user.login, userId, name, member: null }, PASSWORD_LINK_MS);
}

/** Returns the purpose of a link. Throws the same `not_found` for used, expired and unknown ones. */
export async function findAccountLink(
  { store, provider, secrets, clock }: Pick<AccountLinkPorts, "store" | "provider" | "secrets" | "clock">,
  token: string,
): Promise<AccountLink> {
  const link = await store.accountLinks.find(secrets.sha256(token), clock.now());
  // Links from before another provider was configured would create accounts that cannot sign in.
  if (link === null || provider.method !== "password") throw linkClosed();
  return link;
}

/** A link that was used: the user, and the site of which they became a member. */
interface UsedLink extends PasswordSignIn {
  readonly memberOf: InvitedTo | null;
}

/**
 * Uses a link: creates the account with its membership, or sets the password, removes passkeys and ends the user's
 * sessions. Throws `not_found` if the link is not valid, and `invalid` for an invalid name or password.
 */
export async function useAccountLink(
  ports: AccountLinkPorts,
  token: string,
  use: {
    readonly name: string | null;
    readonly password: string;
    /** The passkeys to remove, for a link that sets a password. */
    readonly removedPasskeys: readonly string[];
  },
): Promise<UsedLink> {
  const { name, password, removedPasskeys } = use;
  const link = await findAccountLink(ports, token);
  checkNewPassword(password);
  checkUserName(name);
  const passwordHash = await ports.passwords.hash(password);
  const tokenHash = ports.secrets.sha256(token);
  const now = ports.clock.now();
  const { accountLinks } = ports.store;
  if (link.kind === "password") {
    const user = await accountLinks.acceptPassword(tokenHash, { passwordHash, removedPasskeys }, now);
    if (user === null) throw linkClosed();
    return { user, passwordHash, memberOf: null };
  }
  const accepted = await accountLinks.acceptInvitation(
    tokenHash,
    newLocalUser(link.login, name, passwordHash, now),
    now,
  );
  if (accepted === null) throw linkClosed();
  return { ...accepted, passwordHash };
}

// --- internal ---

async function newLink(
  { store, secrets, clock }: AccountLinkPorts,
  link: Omit<NewAccountLink, "expiresAt" | "tokenHash">,
  lifetime: number,
): Promise<CreatedLink> {
  // 160 random bits, as specified for the API.
  const token = secrets.random(20).toBase64({ alphabet: "base64url", omitPadding: true });
  const expiresAt = clock.now() + lifetime;
  await store.accountLinks.replace({ ...link, expiresAt, tokenHash: secrets.sha256(token) });
  return { login: link.login, token, expiresAt };
}

function requireLocalAccounts({ provider }: AccountLinkPorts): void {
  if (provider.method === "password") return;
  throw new DomainError("conflict", `accounts are kept elsewhere: people sign in at ${provider.label}`);
}

function linkClosed(): DomainError {
  return new DomainError("not_found", "this link was used, replaced or has expired: ask the operator for a new one");
}
