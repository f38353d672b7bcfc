import { type RunningServer, serve } from "../app/app.ts";
import { StartFailure } from "../app/start-failure.ts";
import { supervise } from "../app/supervision.ts";
import { loadConfig } from "../config/settings.ts";
import { UnusableDataFolder } from "../storage/data-folder/data-folder.ts";
import { Failure } from "./errors.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { warnOfUnknownVariables } from "./warn.ts";

/** Runs the server until SIGTERM or Ctrl-C; then running requests finish and everything is written down. */
export async function run(
  wanted: Terminal,
  { config: configFile, ...flags }: Readonly<Record<string, unknown>> & { readonly config?: string },
): Promise<void> {
  const config = loadConfig({ flags, env: wanted.env, configFile });
  const terminal = config.log === "json" ? inJson(wanted) : wanted;
  warnOfUnknownVariables(terminal);
  const stop = stopSignal();
  const server = await serve(config).catch((error) => {
    stop.ignore();
    if (error instanceof StartFailure || error instanceof UnusableDataFolder) throw new Failure(error.message);
    throw error;
  });
  terminal.say(`Vitrine is running at ${terminal.style.bold(server.config.baseUrl)}`);
  try {
    const supervision = supervise(terminal.env, server);
    await inviteFirst(terminal, server);
    terminal.say(`Received ${await stop.heard}: finishing running requests …`);
    supervision?.stopping();
  } finally {
    await server.stop();
  }
}

/** Invites where nobody has an account. Where no link can be kept, as on a full disk, the sites are served all the same. */
async function inviteFirst(terminal: Terminal, server: RunningServer): Promise<void> {
  try {
    if ((await server.store.users.count()) === 0) await invite(terminal, server);
  } catch (error) {
    terminal.say(`Cannot create a set-up link: ${(error as Error).message}`);
  }
}

/** Says how the first person gets in: by a link that works once, or by the operator's command. */
async function invite(terminal: Terminal, server: RunningServer): Promise<void> {
  const { dataDir } = server.config;
  const command = `vitrine users add LOGIN --data-dir ${dataDir}`;
  const link = await server.openSetupLink();
  if (link === null) return terminal.say(`No user can create sites yet. Add one: ${command}`);
  terminal.say("There is no account yet. Create the first one, within 30 minutes, at");
  terminal.say(`  ${terminal.style.cyan(link)}`);
  terminal.say(`or with: ${command}`);
}

/** Returns a terminal whose messages are lines like those of the JSON log, for whoever collects them. */
function inJson(terminal: Terminal): Terminal {
  const line = (level: string, event: string) => JSON.stringify({ time: new Date().toISOString(), level, event });
  const say = (text: string) => {
    const [, warning] = /^warning: (.*)/s.exec(text) ?? [];
    terminal.say(warning === undefined ? line("info", text) : line("warn", warning));
  };
  return { ...terminal, say: (text) => say(Bun.stripANSI(text).trim()) };
}

/**
 * Hears the first signal that asks to stop. Listening before the start loses none that comes early. Supervisors may
 * repeat themselves; whoever presses Ctrl-C again does not want to wait.
 */
function stopSignal(): { readonly heard: Promise<NodeJS.Signals>; ignore(): void } {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  process.on("SIGTERM", resolve);
  process.once("SIGINT", resolve);
  return {
    heard: promise,
    ignore() {
      process.off("SIGTERM", resolve);
      process.off("SIGINT", resolve);
    },
  };
}
