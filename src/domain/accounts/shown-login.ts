import type { Identity } from "../model/user.ts";

interface ShownLogins {
  readonly login: string;
  /** The new login of the user who was shown with this one; null if they keep theirs. */
  readonly otherLogin: string | null;
}

/**
 * Decides with which login a user is shown: their login at the provider, or with their id as a suffix if another user,
 * with the id `otherId`, is shown with it. On GitHub the other one was renamed, and gets the suffix until they sign in
 * again.
 */
export function decideLogin({ provider, login }: Identity, id: number, otherId: number | null): ShownLogins {
  // A username may look like another user's suffixed login. With its own user's suffix appended, it is unique.
  const looksSuffixed = provider === "oidc" && /~\d+$/.test(login);
  if (looksSuffixed) return { login: suffixed(login, id), otherLogin: null };
  if (otherId === null) return { login, otherLogin: null };
  if (provider !== "github") return { login: suffixed(login, id), otherLogin: null };
  return { login, otherLogin: suffixed(login, otherId) };
}

// --- internal ---

function suffixed(login: string, id: number): string {
  return `${login}~${id}`;
}
