import { readFile } from "node:fs/promises";
import { VERSION } from "../../config/version.ts";
import type { Environment, Terminal } from "../terminal/terminal.ts";
import { configFile, writeConfigFile } from "./config-file.ts";

/** How this client was installed: from an npm package, or as the executable for a platform; null in a checkout. */
type Form = string | "npm" | null;

/**
 * Returns a function that gets every response of a server. If the server has another version than this client, it says
 * so, with the line that updates the client. It does so once: the pair of versions is remembered for each server.
 */
export function versionNotice(terminal: Terminal, server: string, form: Form): (response: Response) => Promise<void> {
  let isCompared = false;
  return async ({ headers }) => {
    const version = headers.get("vitrine-version");
    if (isCompared || version === null || !VERSION_TEXT.test(version)) return;
    isCompared = true;
    if (version === VERSION.version || !(await isNews(terminal.env, server, version))) return;
    const update = await updateLine(server, form);
    terminal.say(
      `Note: this is vitrine ${VERSION.version}, and the server is version ${version}. ` +
        (update === null ? "Ask the operator for that version of the command." : `Update: ${update}`),
    );
  };
}

// --- internal ---

/** The header may be of any server, and is shown. */
const VERSION_TEXT = /^\d[\w.+-]{0,30}$/;

/** Returns whether the difference was not reported yet, and remembers it. Without a writable folder, it always is news. */
async function isNews(env: Environment, server: string, version: string): Promise<boolean> {
  const file = configFile(env, "versions.json");
  const reported = await readReported(file);
  const pair = `${VERSION.version} ${version}`;
  if (reported[server] === pair) return false;
  await writeConfigFile(file, { ...reported, [server]: pair }).catch(() => {});
  return true;
}

async function readReported(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return {};
  }
}

/** Null if the server offers no client of this form. */
async function updateLine(server: string, form: Form): Promise<string | null> {
  if (form === null) return null;
  const url = form === "npm" ? `${server}/vitrine.tgz` : `${server}/download/vitrine-${form}`;
  const isThere = await fetch(url, { method: "HEAD" }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isThere) return null;
  return form === "npm" ? `npm install --global ${url}` : `curl --fail --output ${process.execPath} ${url}`;
}
