import { readFile } from "node:fs/promises";
import { Failure } from "../terminal/errors.ts";
import type { Environment } from "../terminal/terminal.ts";
import { configFile, writeConfigFile } from "./config-file.ts";

interface Credential {
  readonly token: string;
  readonly login: string;
}

/** The saved credentials by server, and the server of the last sign-in. */
interface Credentials {
  readonly current: string | null;
  readonly servers: Readonly<Record<string, Credential>>;
}

const NONE: Credentials = { current: null, servers: {} };

/** The file below `$XDG_CONFIG_HOME` or `~/.config`. */
export function credentialsFile(env: Environment): string {
  return configFile(env, "credentials.json");
}

/** Returns the saved credentials; none if there is no file. */
export async function readCredentials(env: Environment): Promise<Credentials> {
  const file = credentialsFile(env);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw new Failure(`${file} cannot be read (${error.code})`, `Take ownership: chown $USER ${file}`);
  });
  if (text === null) return NONE;
  try {
    const { current = null, servers = {} } = JSON.parse(text);
    return { current, servers };
  } catch {
    throw new Failure(`${file} is not valid JSON`, "Remove it and sign in again: vitrine login");
  }
}

/** Saves a server's credential and makes that server the current one. */
export async function saveCredential(env: Environment, server: string, credential: Credential): Promise<void> {
  const { servers } = await readCredentials(env);
  await writeCredentials(env, { current: server, servers: { ...servers, [server]: credential } });
}

/** Deletes a server's credential. Another saved server becomes the current one. */
export async function forgetCredential(env: Environment, server: string): Promise<void> {
  const { current, servers } = await readCredentials(env);
  const { [server]: _, ...left } = servers;
  await writeCredentials(env, {
    current: current === server ? (Object.keys(left)[0] ?? null) : current,
    servers: left,
  });
}

async function writeCredentials(env: Environment, credentials: Credentials): Promise<void> {
  const file = credentialsFile(env);
  try {
    await writeConfigFile(file, credentials);
  } catch (error) {
    throw new Failure(
      `${file} cannot be written: ${(error as Error).message}`,
      "Set XDG_CONFIG_HOME to a writable folder.",
    );
  }
}
