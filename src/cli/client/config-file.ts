import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../terminal/terminal.ts";

/** Returns the path of a file of the client, below `$XDG_CONFIG_HOME` or `~/.config`. */
export function configFile(env: Environment, name: string): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "vitrine", name);
}

/**
 * Writes a file that only its owner can read. It uses a temporary file and a rename, so that two commands at once, or a
 * full disk, never leave half a file.
 */
export async function writeConfigFile(file: string, content: object): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await chmod(temporary, 0o600);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
