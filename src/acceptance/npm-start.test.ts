import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../testing/free-port.ts";
import { executable, run, scratchFolder } from "./testing/executable.ts";

const folder = scratchFolder();
afterAll(() => folder[Symbol.dispose]());

const SCRIPT = join(import.meta.dir, "..", "..", "scripts", "start.ts");
const LAST_WORDS = "Ctrl-C stops it.";

/** Runs the script of `npm start` until it has printed everything, and returns its output. */
async function start(env: Record<string, string>): Promise<string> {
  await executable();
  const child = Bun.spawn([process.execPath, SCRIPT], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors = new Response(child.stderr).text();
  const decoder = new TextDecoder();
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += decoder.decode(chunk, { stream: true });
    if (printed.includes(LAST_WORDS)) child.kill("SIGTERM");
  }
  expect(await child.exited).toBe(0);
  return printed + (await errors);
}

test("every npm start explains how to sign in, and only the first creates an account and the example site", async () => {
  const dataDir = join(folder.path, "data");
  const port = freePort();
  const env = { VITRINE_DATA_DIR: dataDir, VITRINE_LISTEN: `127.0.0.1:${port}`, VITRINE_LOG: "off" };

  const first = await start(env);
  expect(first).toMatch(/the dashboard: sign in as demo with the password [\w-]{12}\n/);
  expect(first).not.toContain("There is no account yet");

  expect(await start(env)).toContain(
    "the dashboard: sign in as demo with the password of the first start; a new one: dist/vitrine users passwd demo\n",
  );

  await run(["users", "add", "ada", "--data-dir", dataDir]);
  await run(["users", "remove", "demo", "--with-sites", "--data-dir", dataDir]);
  expect(await start(env)).toContain(
    "the dashboard: sign in with your account; all accounts: dist/vitrine users list\n",
  );
  // It starts three servers and runs the executable nine times.
}, 900_000);
