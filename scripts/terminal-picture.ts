// Draws docs/terminal.svg and docs/domains.svg by running the commands in a pseudo-terminal against a real server.
//   node scripts/with-bun.mjs scripts/terminal-picture.ts
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addLocalAccount, signIn } from "../src/acceptance/testing/accounts.ts";
import { startDomainsServer } from "../src/acceptance/testing/domains.ts";
import { runAtTerminal, type TerminalSession } from "../src/cli/testing/pseudo-terminal.ts";
import { drawScreen, finalScreen } from "./recording/screen.ts";

const root = join(import.meta.dir, "..");
const folder = await mkdtemp(join(tmpdir(), "vitrine-picture-"));
const vitrine = await startDomainsServer({ "base-url": "http://localhost:0" });
const env = { XDG_CONFIG_HOME: join(folder, "config"), VITRINE_SERVER: vitrine.baseUrl };
process.chdir(folder);

try {
  await addLocalAccount(vitrine, "ada");
  await cp(join(root, "scripts", "welcome"), join(folder, "dist"), { recursive: true });
  await Bun.write(join(folder, "dist", "_redirects"), "/start /\n/old new\n");
  await draw("terminal.svg", [
    await record("login", approve),
    await record("deploy dist --site garden"),
    await record("deployments list garden"),
  ]);
  const added = await record("domains add garden www.garden.example");
  const [, value = ""] = /(token=\w+)/.exec(added) ?? [];
  vitrine.names.zone["TXT _vitrine-challenge.www.garden.example"] = [value];
  vitrine.names.zone["A www.garden.example"] = ["127.0.0.1"];
  vitrine.advance(2000);
  await draw("domains.svg", [added, await record("domains check garden www.garden.example")]);
} finally {
  await vitrine[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}

/** Runs a command in a terminal until it exits. Returns its output, after a line with the command itself. */
async function record(command: string, meanwhile?: (session: TerminalSession) => Promise<void>): Promise<string> {
  const session = runAtTerminal(command.split(" "), env);
  await meanwhile?.(session);
  const { status, screen } = await session.exited;
  if (status !== 0) throw new Error(`vitrine ${command} failed: ${screen}`);
  return `\x1b[2m$\x1b[22m \x1b[1mvitrine ${command}\x1b[22m\n${screen}`;
}

/** Confirms the sign-in in the browser, as the user does. */
async function approve(session: TerminalSession): Promise<void> {
  const screen = await session.shows("Waiting for you");
  const [userCode = ""] = /[B-Z]{4}-[B-Z]{4}/.exec(screen) ?? [];
  const browser = await signIn(vitrine, "ada");
  await browser.submit("/device", { user_code: userCode, verdict: "approved" });
}

/** Replaces the random port by the default port, and the temporary folder by a home folder. */
async function draw(name: string, recordings: readonly string[]): Promise<void> {
  const text = recordings.join("\n").replaceAll(`:${vitrine.port}`, ":8080").replaceAll(folder, "~/garden");
  await Bun.write(join(root, "docs", name), drawScreen(finalScreen(text.trimEnd())));
}
