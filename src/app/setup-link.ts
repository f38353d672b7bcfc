import type { Config } from "../config/settings.ts";
import { openSetupLink } from "../domain/accounts/accounts.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Secrets } from "../domain/ports/secrets.ts";
import type { Store } from "../domain/ports/store.ts";

/**
 * Opens a fresh set-up link in place of any earlier one and returns its address. Null when somebody has an account, and
 * where another provider signs people in: the page makes built-in accounts, which could not sign in there.
 */
export async function setupLink(
  config: Config,
  ports: { store: Store; clock: Clock; secrets: Secrets },
): Promise<string | null> {
  if (config.provider !== "local") return null;
  const code = await openSetupLink(ports);
  return code === null ? null : `${config.baseUrl}/setup/${encodeURIComponent(code)}`;
}
