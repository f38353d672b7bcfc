import { afterAll, expect } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { spawnAtTerminal, type TerminalSession } from "../cli/testing/pseudo-terminal.ts";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { Browser } from "./testing/browser.ts";
import { scratchFolder } from "./testing/executable.ts";
import { npmStart, passwordIn } from "./testing/npm-start.ts";

const ROOT = join(import.meta.dir, "..", "..");

const scratch = scratchFolder();
afterAll(() => scratch[Symbol.dispose]());

/** The checkout in which a reader of README enters the commands. */
const folder = realpathSync(scratch.path);
const port = freePort();
const baseUrl = `http://localhost:${port}`;

/** A command of README, with the output that README shows for it; null for none. */
interface Command {
  readonly line: string;
  readonly output: string | null;
}

/** Returns the commands of a section. The block after one with commands shows the output of its last command. */
function commandsOf(section: string): Command[] {
  const blocks = [...section.matchAll(/^```\n(.*?)^```$/gms)].map(([, text = ""]) => text);
  return blocks.flatMap((block, index) => {
    if (!isOfCommands(block)) return [];
    const next = blocks[index + 1];
    const output = next === undefined || isOfCommands(next) ? null : next;
    const lines = block.trimEnd().replaceAll("\\\n", "").split("\n");
    return lines.map((line, at) => ({
      // What a command does stands beside it.
      line: line.replace(/ {2,}[a-z].*$/i, "").replaceAll("localhost:8080", `localhost:${port}`),
      output: at === lines.length - 1 ? output : null,
    }));
  });
}

function isOfCommands(block: string): boolean {
  return /^(?:vitrine|export|curl|\()/.test(block);
}

/** Replaces what differs between two runs: the port, the reader's folder, times and durations. */
function comparable(output: string): string {
  return output
    .trimEnd()
    .replaceAll(`:${port}`, ":8080")
    .replaceAll(folder, "/home/ada/vitrine")
    .replaceAll(/\b\d{4}-\d\d-\d\d \d\d:\d\d\b/g, "(time)")
    .replaceAll(/\b[\d.]+ m?s\b/g, "(duration)");
}

/** Returns what a terminal shows in the end, without lines that were replaced. */
function shown(screen: string): string {
  const lines = Bun.stripANSI(screen.replaceAll(/[^\n]*\x1b\[2K/g, ""))
    .replaceAll("\r", "")
    .split("\n");
  return lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

/** What the reader does besides entering the commands. */
const READER: readonly (readonly [command: RegExp, acts: (session: TerminalSession) => Promise<void>])[] = [
  [/^vitrine login /, approve],
  [
    /^vitrine users add /,
    async (session) => {
      for (const question of ["Password: ", "Repeat the password: "]) {
        await session.shows(question);
        session.type("correct horse battery\r");
      }
    },
  ],
];

let password = "";

async function approve(session: TerminalSession): Promise<void> {
  const screen = await session.shows("Waiting for you");
  const [userCode = ""] = /[B-Z]{4}-[B-Z]{4}/.exec(screen) ?? [];
  const browser = new Browser(baseUrl);
  await browser.submit("/sign-in", { login: "demo", password });
  await browser.submit("/device", { user_code: userCode, verdict: "approved" });
}

needing("bash", "curl", "zip").test("the five minutes of README work as they are shown", async () => {
  await using start = await npmStart(folder, "--listen", `127.0.0.1:${port}`, "--data-dir", "vitrine-data");
  password = passwordIn(start.printed());
  symlinkSync(join(ROOT, "dist"), join(folder, "dist"));
  mkdirSync(join(folder, "my-site"));
  const readme = await Bun.file(join(ROOT, "README.md")).text();
  const [, section = ""] = /^## Five minutes$(.*?)^## /ms.exec(readme) ?? [];
  const commands = commandsOf(section);
  expect(commands.length).toBeGreaterThan(12);

  let before = `cd ${folder}`;
  let deployments = 0;
  const env: Record<string, string> = { HOME: join(folder, "home") };
  for (const { line, output } of commands) {
    if (line.startsWith("export ")) before += `; ${line}`;
    // Before each deployment the folder changes.
    if (line.includes("deploy")) {
      const page = ["<h1>hello</h1>\n", "<h1>welcome</h1>\n"][deployments++] ?? `<h1>${deployments}</h1>\n`;
      await Bun.write(join(folder, "my-site", "index.html"), page);
    }
    const session = spawnAtTerminal(["bash", "-c", `${before}; ${line}`], env);
    await READER.find(([command]) => command.test(line))?.[1](session);
    const { status, screen } = await session.exited;
    expect([line, status, shown(screen)]).toEqual([line, 0, expect.any(String)]);
    if (output !== null) expect(comparable(shown(screen))).toBe(comparable(output));
    // Its events would go to the URL of the example.
    if (line.startsWith("vitrine webhooks add ")) {
      const [id = ""] = /(?<=vitrine webhooks test hello )\S+/.exec(screen) ?? [];
      await spawnAtTerminal(["bash", "-c", `${before}; vitrine webhooks remove hello ${id}`], env).exited;
    }
    const [token] = /vtd_\w+/.exec(screen) ?? [];
    if (token !== undefined) env.VITRINE_TOKEN = token;
  }
});
