import { type Config, settingsAsVariables } from "../config/settings.ts";
import type { Finding } from "../domain/model/finding.ts";
import { ownCommand } from "../worker-entries.ts";

/**
 * Runs `vitrine doctor --json` in another process with the settings of this server. In this process the checks would
 * open and close the files of the database, and POSIX locks of a file end for the whole process when any of its
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
