import { variableOf } from "../config/setting.ts";
import { type Config, formatListenAddress } from "../config/settings.ts";
import type { Finding } from "../domain/maintenance/finding.ts";
import { ownCommand } from "../worker-entries.ts";

/**
 * Runs `vitrine doctor --json` in a process of its own, with the settings of this server. In this process the checks
 * would open and close the files of the database, and POSIX locks of a file end for the whole process when any of its
 * descriptors is closed.
 */
export async function runDoctor(config: Config, signal: AbortSignal): Promise<readonly Finding[]> {
  const settings = config.settingsFile === null ? [] : ["--config", config.settingsFile];
  const child = Bun.spawn([...ownCommand(), "doctor", "--json", "--data-dir", config.dataDir, ...settings], {
    env: { ...process.env, ...settingsAsVariables(config) },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    signal,
    killSignal: "SIGKILL",
  });
  const [output, messages] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  try {
    return (JSON.parse(output) as { findings: Finding[] }).findings;
  } catch {
    throw new Error(messages.trim().split("\n").at(-1) || `vitrine doctor ended with status ${child.exitCode}`);
  }
}

// --- internal ---

/**
 * What the flags of this process set, and the addresses that it really has. Variables, unlike flags, are not shown by
 * `ps`. The child reads the settings file by itself, because relative paths in it begin at its folder.
 */
function settingsAsVariables(config: Config): Record<string, string> {
  const given = config.inForce.flatMap(({ name, source, value, secret }) => {
    const text = secret ? config[camelCase(name) as keyof Config] : value;
    return source === "flag" && typeof text === "string" ? [[variableOf(name), text] as const] : [];
  });
  return {
    ...Object.fromEntries(given),
    VITRINE_LISTEN: formatListenAddress(config.listen),
    VITRINE_BASE_URL: config.baseUrl,
  };
}

function camelCase(flag: string): string {
  return flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
