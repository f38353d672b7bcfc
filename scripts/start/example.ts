import { join } from "node:path";
import { type OperatorPorts, withDataFolder } from "../../src/app/operator.ts";
import type { Config } from "../../src/config/settings.ts";
import { startSession } from "../../src/domain/accounts/sessions.ts";
import { MINUTE } from "../../src/domain/timestamp.ts";
import { findFirstUser, SESSION_NAME } from "./first-user.ts";

export const EXAMPLE_SITE = "welcome";

/**
 * Deploys the example site if it is missing. Returns whether it is there afterwards; if the deployment fails, `report`
 * gets the reason.
 */
export async function deployExample(
  config: Config,
  executable: string,
  report: (reason: string) => void,
): Promise<boolean> {
  const start = await withDataFolder(config, startDeployment);
  if (start === "exists" || start === "nobody") return start === "exists";
  const { token, sessionId, userId } = start;
  try {
    const { exitCode, stderr } = Bun.spawnSync(
      [executable, "deploy", join(import.meta.dir, "..", "welcome"), "--site", EXAMPLE_SITE],
      { env: { ...process.env, VITRINE_SERVER: config.baseUrl, VITRINE_TOKEN: token }, stdin: "ignore" },
    );
    if (exitCode !== 0) report(stderr.toString().trim());
    return exitCode === 0;
  } finally {
    await withDataFolder(config, ({ store }) => store.sessions.revoke(sessionId, userId));
  }
}

// --- internal ---

async function startDeployment(ports: OperatorPorts) {
  if (await ports.store.sites.find(EXAMPLE_SITE)) return "exists";
  const user = await findFirstUser(ports);
  if (user === null) return "nobody";
  const lifetime = 10 * MINUTE;
  const wanted = { userId: user.id, clientName: SESSION_NAME, address: null, lifetime };
  const { token, session } = await startSession(ports, wanted);
  return { token, sessionId: session.id, userId: user.id };
}
