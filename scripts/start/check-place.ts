import { relative } from "node:path";
import { type Config, formatListenAddress, type ListenAddress } from "../../src/config/settings.ts";
import { errorCode } from "../../src/domain/error-message.ts";
import { StartFailure } from "../../src/domain/start-failure.ts";
import { dataFolder, isServed } from "../../src/storage/folder/data-folder.ts";
import { withFreePorts } from "../../src/workers/serve/free-ports.ts";

/**
 * Throws StartFailure if the data folder or a port is in use. Nothing has been created by then. The message is one line
 * that says what is running, and the command for another place.
 */
export async function checkPlace(config: Config): Promise<void> {
  const { listen, dataDir } = config;
  const command = `npm start -- --listen ${formatListenAddress({ host: listen.host, port: listen.port + 1 })}`;
  if (isServed(dataFolder(dataDir))) {
    const folder = shown(dataDir);
    const where = (await isVitrineAt(config.baseUrl)) ? ` (${config.baseUrl} answers)` : "";
    throw new StartFailure(
      `Vitrine is running already, with the data in ${folder}${where}. Start another one: ${command} --data-dir ${folder}-2`,
    );
  }
  if (isInUse(listen)) {
    const program = (await isVitrineAt(config.baseUrl)) ? "Another Vitrine" : "Another program";
    throw new StartFailure(`${program} uses ${formatListenAddress(listen)}. Start on another port: ${command}`);
  }
  withFreePorts(config);
}

/** Returns a path as short as the working folder allows. */
export function shown(path: string): string {
  const inside = relative(process.cwd(), path);
  return inside === "" || inside.startsWith("..") ? path : inside;
}

// --- internal ---

function isInUse({ host, port }: ListenAddress): boolean {
  try {
    Bun.listen({ hostname: host ?? "::", port, exclusive: true, socket: { data() {} } }).stop(true);
    return false;
  } catch (error) {
    return errorCode(error) === "EADDRINUSE";
  }
}

/** A program that accepts connections and never answers is not waited for any longer. */
const MAX_WAIT_MS = 2000;

async function isVitrineAt(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/ready`, { signal: AbortSignal.timeout(MAX_WAIT_MS) });
    const { status } = (await response.json()) as { readonly status?: unknown };
    return status === "ready";
  } catch {
    return false;
  }
}
