import type { IdentityProvider } from "../../domain/ports/identity.ts";
import type { UserStore } from "../../domain/ports/store/users.ts";
import type { Passwords } from "../../domain/ports/system.ts";
import { githubProvider } from "./github.ts";
import { localProvider } from "./local.ts";
import { oidcProvider } from "./oidc.ts";

/** The operator's settings. */
interface Wanted {
  readonly provider: "local" | "github" | "oidc";
  readonly providerUrl: string | null;
  readonly providerClientId: string | null;
  readonly providerClientSecret: string | null;
  readonly oidcScopes: readonly string[];
  readonly oidcGroupsClaim: string | null;
}

export function identityProvider(config: Wanted, users: UserStore, passwords: Passwords): IdentityProvider {
  const { provider, providerUrl, providerClientId, providerClientSecret: clientSecret } = config;
  if (provider === "local" || providerUrl === null || providerClientId === null) return localProvider(users, passwords);
  if (provider === "github") return githubProvider({ url: providerUrl, clientId: providerClientId, clientSecret });
  const { oidcScopes, oidcGroupsClaim: groupsClaim } = config;
  const scopes = oidcScopes.join(" ");
  return oidcProvider({ issuer: providerUrl, clientId: providerClientId, clientSecret, scopes, groupsClaim }, users);
}
