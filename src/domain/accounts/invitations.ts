import type { Identity, IdentityProvider } from "../ports/identity.ts";

/** What the subject of an invitation begins with; that of a person whom an issuer has named begins with its address. */
export const INVITATION_PREFIX = "login:";

/** Readers of one site who are invitations yet: an owner could otherwise make up people without end. */
export const MAX_INVITED_READERS = 100;

/** The subject that stands for somebody who was added by login before the provider ever named them. */
export function invitationSubject(login: string): string {
  return INVITATION_PREFIX + login.toLowerCase();
}

export function isInvitation({ provider, subject }: Identity): boolean {
  return provider === "oidc" && subject.startsWith(INVITATION_PREFIX);
}

/**
 * Returns the person of a login. OpenID Connect has nobody to ask who that is: where nobody is known by the login, it
 * is an invitation, which the first sign-in with the login takes up. Null when another provider knows nobody.
 */
export async function findOrInvite(provider: IdentityProvider, login: string): Promise<Identity | null> {
  const found = await provider.findByLogin(login);
  if (found !== null || provider.name !== "oidc") return found;
  return { provider: "oidc", subject: invitationSubject(login), login, name: null, avatarUrl: null };
}
