import { type Finding, ok, warning } from "../model/finding.ts";
import { passkeySupport } from "../model/relying-party.ts";
import type { ProviderName } from "../model/user.ts";

/** Tells for which host passkeys are, or why the server does not offer any. Other providers have their own. */
export function examinePasskeys(server: { readonly provider: ProviderName; readonly baseUrl: string }): Finding[] {
  if (server.provider !== "local") return [];
  const { party, problem } = passkeySupport(server.baseUrl);
  if (party !== null) return [ok("passkeys", `for ${party.id}; with another host in base-url, people need new ones`)];
  return [warning("passkeys", `not offered: ${problem}`, "set base-url to the https:// URL of a host name")];
}
