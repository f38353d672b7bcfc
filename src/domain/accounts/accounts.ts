import { DomainError } from "../errors.ts";
import { checkUserName, type User } from "../model/user.ts";
import type { IdentityProvider } from "../ports/identity.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Passwords, Secrets } from "../ports/system.ts";
import { MINUTE } from "../timestamp.ts";
import { findOrInvite } from "./invitations.ts";
import { checkNewPassword } from "./password-rules.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";
import { newCode } from "./sealed.ts";

/** What `isLocalLogin` accepts. */
export const LOCAL_LOGIN_RULE = "a login has 1 to 64 letters, digits and . _ @ + - inside";

/** Returns whether a text is a valid login of a local account. */
export function isLocalLogin(login: string): boolean {
  return /^[a-z\d](?:[a-z\d._@+-]{0,62}[a-z\d])?$/i.test(login);
}

interface AccountRequest {
  readonly login: string;
  readonly name: string | null;
  /** For local accounts; null with another identity provider. */
  readonly password: string | null;
}

/**
 * Adds a user who may own sites: a local account, or a user of the identity provider. A user who exists already,
 * for example as a reader, may own sites from then on. Throws `conflict` if they may already, `invalid` for an unusable
 * login or password, and `not_found` if the provider does not know the login.
 */
export async function addAccount(
  ports: { users: Store["users"]; provider: IdentityProvider; passwords: Pick<Passwords, "hash">; clock: Clock },
  request: AccountRequest,
): Promise<User> {
  if (!ports.provider.isLogin(request.login)) {
    const rule = ports.provider.method === "password" ? `: ${LOCAL_LOGIN_RULE}` : ` of ${ports.provider.label}`;
    throw new DomainError("invalid", `${request.login} cannot be a login${rule}`);
  }
  checkUserName(request.name);
  if (ports.provider.method === "password") return addLocalAccount(ports, request);
  const identity = await findOrInvite(ports.provider, request.login);
  if (identity === null)
    throw new DomainError("not_found", `${ports.provider.label} knows nobody called ${request.login}`);
  const user = await ports.users.recognize({ ...identity, name: request.name ?? identity.name }, ports.clock.now());
  if (user.mayOwn) throw new DomainError("conflict", `${user.login} may own sites already`);
  await ports.users.setMayOwn(user.id, true);
  return { ...user, mayOwn: true };
}

/**
 * Creates the first account through the one-time set-up link. Throws `not_found` if the link is not open,
 * `conflict` if an account exists, and `invalid` for an unusable login or password.
 */
export async function makeFirstAccount(
  ports: {
    store: Pick<Store, "users" | "setupLinks">;
    passwords: Pick<Passwords, "hash">;
    secrets: Pick<Secrets, "sha256">;
    clock: Clock;
  },
  code: string,
  request: AccountRequest & { readonly password: string },
): Promise<PasswordSignIn> {
  const now = ports.clock.now();
  if (!(await ports.store.setupLinks.isOpen(ports.secrets.sha256(code), now))) throw setupLinkClosed();
  if (!isLocalLogin(request.login)) {
    throw new DomainError("invalid", `${LOCAL_LOGIN_RULE}: choose another`);
  }
  checkUserName(request.name);
  const account = await localAccount(ports, request);
  const user = await ports.store.users.addFirst(account);
  if (user === null) throw new DomainError("conflict", "there is an account already: sign in with it");
  return { user, passwordHash: account.passwordHash };
}

const SETUP_LINK_LIFETIME = 30 * MINUTE;

/** Creates a set-up link, which replaces earlier ones, and returns its code; null if an account exists. */
export async function openSetupLink(ports: {
  store: Pick<Store, "users" | "setupLinks">;
  secrets: Secrets;
  clock: Clock;
}): Promise<string | null> {
  if ((await ports.store.users.count()) > 0) return null;
  const code = newCode(ports.secrets);
  await ports.store.setupLinks.replace(ports.secrets.sha256(code), ports.clock.now() + SETUP_LINK_LIFETIME);
  return code;
}

/** Throws `not_found` unless the set-up link is open and there is no account. */
export async function checkSetupLink(
  ports: { store: Pick<Store, "users" | "setupLinks">; secrets: Pick<Secrets, "sha256">; clock: Clock },
  code: string,
): Promise<void> {
  const open = await ports.store.setupLinks.isOpen(ports.secrets.sha256(code), ports.clock.now());
  if (!open || (await ports.store.users.count()) > 0) throw setupLinkClosed();
}

/** Returns a new user of a local account, who may own sites. */
export function newLocalUser(login: string, name: string | null, passwordHash: string, createdAt: number) {
  // Not the login: a later account with the login of a removed one is another user.
  const subject = crypto.randomUUID();
  return { provider: "local", subject, login, name, avatarUrl: null, mayOwn: true, passwordHash, createdAt } as const;
}

// --- internal ---

async function addLocalAccount(
  ports: { users: Store["users"]; passwords: Pick<Passwords, "hash">; clock: Clock },
  request: AccountRequest,
): Promise<User> {
  const user = await ports.users.add(await localAccount(ports, request));
  if (user === null) throw new DomainError("conflict", `${request.login} has an account already`);
  return user;
}

async function localAccount(
  ports: { passwords: Pick<Passwords, "hash">; clock: Clock },
  { login, name, password }: AccountRequest,
) {
  checkNewPassword(password ?? "");
  return newLocalUser(login, name, await ports.passwords.hash(password ?? ""), ports.clock.now());
}

function setupLinkClosed(): DomainError {
  return new DomainError(
    "not_found",
    "this set-up link was used or has expired: sign in if you have an account; as long as nobody has one, the server " +
      "prints a fresh link when it starts, and this makes one too: vitrine users add LOGIN",
  );
}
