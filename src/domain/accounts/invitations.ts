import type { Identity } from "../model/user.ts";
import type { IdentityProvider } from "../ports/identity.ts";

/** The prefix of an invitation's subject. The subject of a signed-in user begins with the issuer's URL. */
export const INVITATION_PREFIX = "login:";

/** Maximum invited readers of a site. Without a limit an owner could invent any number of users. */
export const MAX_INVITED_READERS = 100;

/** The subject of a user who was added by login and has never signed in. */
export function invitationSubject(login: string): string {
  return INVITATION_PREFIX + login.toLowerCase();
}

export function isInvitation({ provider, subject }: Identity): boolean {
  return provider === "oidc" && subject.startsWith(INVITATION_PREFIX);
}

/**
 * Returns the identity of a login. OpenID Connect has no look-up by login: for an unknown login, it
 * returns an invitation, which the first sign-in with the login accepts. Null if another provider does not know the login.
 */
export async function findOrInvite(provider: IdentityProvider, login: string): Promise<Identity | null> {
  const found = await provider.findByLogin(login);
  if (found !== null || provider.name !== "oidc") return found;
  return { provider: "oidc", subject: invitationSubject(login), login, name: null, avatarUrl: null };
}
