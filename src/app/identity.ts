import { githubProvider } from "../clients/identity/github/provider.ts";
import { localProvider } from "../clients/identity/local/provider.ts";
import { oidcProvider } from "../clients/identity/oidc/provider.ts";
import type { Config } from "../config/settings.ts";
import type { IdentityProvider } from "../domain/ports/identity.ts";
import type { Passwords } from "../domain/ports/passwords.ts";
import type { UserStore } from "../domain/ports/store/users.ts";

/** Returns who signs people in here, as the settings say. */
export function identityProvider(config: Config, users: UserStore, passwords: Passwords): IdentityProvider {
  const { provider, providerUrl, providerClientId, providerClientSecret: clientSecret } = config;
  if (provider === "local" || providerUrl === null || providerClientId === null) return localProvider(users, passwords);
  if (provider === "github") return githubProvider({ url: providerUrl, clientId: providerClientId, clientSecret });
  return oidcProvider({ issuer: providerUrl, clientId: providerClientId, clientSecret }, users);
}
