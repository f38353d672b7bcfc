import { type RunningServer, serve } from "../app/app.ts";
import { loadConfig } from "../config/settings.ts";
import { StartFailure } from "../domain/start-failure.ts";
import { UnusableDataFolder } from "../storage/folder/data-folder.ts";
import { Failure } from "./terminal/errors.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { warnOfUnknownVariables } from "./unknown-variables.ts";

/**
 * Runs the server until SIGTERM or Ctrl-C, then drains running requests. Throws Failure if a serving thread was lost: the
 * service manager, or the container runtime, starts the server again.
 */
export async function runServer(
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
    const supervision = server.supervise(terminal.env);
    await inviteFirst(terminal, server);
    const drained = server.drainRequested.then(() => "Received the request to drain");
    const heard = stop.heard.then((signal) => `Received ${signal}`);
    const lost = server.threadLost.then(() => LOST);
    const reason = await Promise.race([heard, drained, lost]);
    terminal.say(`${reason}: finishing running requests …`);
    supervision?.stopping();
    if (reason === LOST)
      throw new Failure("a serving thread ended unexpectedly: see the log", "Start the server again.");
  } finally {
    await server.stop();
  }
}

const LOST = "A serving thread was lost";

/** Prints the set-up link if there is no account. If it cannot be stored, as on a full disk, the sites are served anyway. */
async function inviteFirst(terminal: Terminal, server: RunningServer): Promise<void> {
  try {
    if ((await server.store.users.count()) === 0) await invite(terminal, server);
  } catch (error) {
    terminal.say(`Cannot create a set-up link: ${(error as Error).message}`);
  }
}

/** Explains how to create the first account: by the one-time link or by a command. */
async function invite(terminal: Terminal, server: RunningServer): Promise<void> {
  const { dataDir } = server.config;
  const command = `vitrine users add LOGIN --data-dir ${dataDir}`;
  const link = await server.openSetupLink();
  if (link === null) return terminal.say(`No user can create sites yet. Add one: ${command}`);
  terminal.say("There is no account yet. Create the first one, within 30 minutes, at");
  terminal.say(`  ${terminal.style.cyan(link)}`);
  terminal.say(`or with: ${command}`);
}

/** Returns a terminal that prints messages as JSON, like the log. */
function inJson(terminal: Terminal): Terminal {
  const line = (level: string, event: string) => JSON.stringify({ time: new Date().toISOString(), level, event });
  const say = (text: string) => {
    const [, warning] = /^warning: (.*)/s.exec(text) ?? [];
    terminal.say(warning === undefined ? line("info", text) : line("warn", warning));
  };
  return { ...terminal, say: (text) => say(Bun.stripANSI(text).trim()) };
}

/**
 * Resolves at the first stop signal. It is installed before the start, so that no signal is lost. Further signals are
 * ignored from supervisors, which may repeat them; a second Ctrl-C stops at once.
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
