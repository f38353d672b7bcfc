import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { PROGRAM } from "../cli/testing/program-command.ts";
import { runCli } from "../cli/testing/run-cli.ts";
import { scratchFolder } from "./testing/executable.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

let vitrine: TestServer;

beforeAll(async () => {
  vitrine = await startTestServer();
});
afterAll(() => vitrine[Symbol.asyncDispose]());

const operator = (...args: string[]) => runCli([...args, "--data-dir", vitrine.config.dataDir]);

test("a session printed by the operator works immediately", async () => {
  expect((await operator("users", "add", "mary")).status).toBe(0);
  const token = (await operator("users", "session", "mary")).stdout.trim();
  expect((await runCli(["whoami", "--token", token, "--server", vitrine.baseUrl])).stdout).toBe("mary\n");
});

test("a user who owns sites is removed only together with them", async () => {
  using folder = scratchFolder();
  await operator("users", "add", "olga");
  const VITRINE_TOKEN = (await operator("users", "session", "olga")).stdout.trim();
  await Bun.write(join(folder.path, "index.html"), "x");
  await runCli(["deploy", folder.path, "--site", "of-olga"], { VITRINE_SERVER: vitrine.baseUrl, VITRINE_TOKEN });

  expect(await operator("users", "remove", "olga")).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/olga owns 1 site: of-olga; nothing was removed\n.*--with-sites/),
  });
  expect((await vitrine.visit("of-olga")).status).toBe(200);

  expect((await operator("users", "remove", "olga", "--with-sites")).status).toBe(0);
  // The server looks for changes of other processes every few milliseconds.
  while ((await vitrine.visit("of-olga")).status !== 404) await Bun.sleep(5);
  expect(await runCli(["whoami"], { VITRINE_SERVER: vitrine.baseUrl, VITRINE_TOKEN })).toMatchObject({ status: 1 });
});

test("the server continues after the program that reads its log has exited, and stops on request", async () => {
  using folder = scratchFolder();
  const server = Bun.spawn([...PROGRAM, "serve", "--listen", "127.0.0.1:0", "--data-dir", folder.path], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const log = server.stderr.getReader();
  let said = "";
  while (!said.includes("users add")) said += new TextDecoder().decode((await log.read()).value);
  await log.cancel();
  const [, port] = /http:\/\/localhost:(\d+)/.exec(said) ?? [];
  for (const path of ["/health", "/nothing", "/health"]) await fetch(`http://127.0.0.1:${port}${path}`);
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
});
