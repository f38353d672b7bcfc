import type { Config } from "../config/settings.ts";
import { openSetupLink } from "../domain/accounts/accounts.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock, Secrets } from "../domain/ports/system.ts";

/**
 * Opens a new set-up link, which replaces earlier ones, and returns its URL. Null if an account exists, or if
 * another provider signs users in, because the page creates built-in accounts.
 */
export async function setupLink(
  config: Config,
  ports: { store: Store; clock: Clock; secrets: Secrets },
): Promise<string | null> {
  if (config.provider !== "local") return null;
  const code = await openSetupLink(ports);
  return code === null ? null : `${config.baseUrl}/setup/${encodeURIComponent(code)}`;
}
