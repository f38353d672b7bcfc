import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { examine } from "../app/doctor.ts";
import { runCli } from "../cli/testing/run-cli.ts";
import type { Finding } from "../domain/model/finding.ts";
import { zipOf } from "./testing/archives.ts";
import { scratchFolder } from "./testing/executable.ts";
import { startTestServer } from "./testing/test-server.ts";

const folder = scratchFolder();
afterAll(() => folder[Symbol.dispose]());

async function doctor(dataDir: string, env: Record<string, string> = {}) {
  const { stdout, stderr, status } = await runCli(["doctor", "--json", "--data-dir", dataDir], env);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const worst = (check: string) => findings.filter((finding) => finding.check === check && finding.verdict !== "ok");
  return { status, stderr, findings, worst };
}

/** Whether the server exceeded the doctor's time limit, as it may on a busy machine. */
const isLate = (findings: readonly Finding[]) => findings.some(({ detail }) => detail.includes("timed out"));

test("a running server passes all checks with status 0", async () => {
  await using vitrine = await startTestServer();
  const { host, port } = vitrine.config.listen;
  // The first call loads the API, which may take longer than doctor's time limit on a busy machine.
  expect((await vitrine.call("GET", "/health")).status).toBe(200);
  const ask = () => doctor(vitrine.config.dataDir, { VITRINE_LISTEN: `${host}:${port}` });
  let { status, findings } = await ask();
  while (isLate(findings)) ({ status, findings } = await ask());
  expect([status, findings.filter(({ verdict }) => verdict === "problem")]).toEqual([0, []]);
  const details = findings.map(({ check, detail }) => `${check}: ${detail}`).join("\n");
  expect(details).toContain(`server: is running and healthy at http://127.0.0.1:${port}/health`);
  expect(details).toContain("vitrine.db is intact");
});

test.each([
  ["http://pages.example.test", "off"],
  ["https://pages.example.test", "off"],
  ["https://pages.example.test", "internal"],
])("a server at %s with TLS %s is found at the address it listens on", async (baseUrl, tls) => {
  await using vitrine = await startTestServer({ "base-url": baseUrl, "sites-domain": "sites.example.test", tls });
  const url = `${tls === "off" ? "http" : "https"}://127.0.0.1:${vitrine.config.listen.port}/health`;
  // The first call loads the API, as above.
  await fetch(url, { headers: { Host: "pages.example.test" }, tls: { rejectUnauthorized: false } });
  let findings = await examine(vitrine.config);
  while (isLate(findings)) findings = await examine(vitrine.config);
  const server = findings.filter(({ check }) => check === "server");
  expect(server).toMatchObject([{ verdict: "ok", detail: `is running and healthy at ${url}` }]);
});

test("missing content is a problem", async () => {
  await using vitrine = await startTestServer();
  const content = join(vitrine.config.dataDir, "content");
  const found = async () => (await examine(vitrine.config)).filter(({ check }) => check === "content");
  rmSync(content, { recursive: true });
  expect(await found()).toEqual([]);
  mkdirSync(content);
  const { token } = await vitrine.signUp("ada");
  expect((await vitrine.deploy(token, await zipOf({ "index.html": "x" }))).status).toBe(201);
  expect(await found()).toEqual([]);
  rmSync(content, { recursive: true });
  expect(await found()).toMatchObject([
    { verdict: "problem", detail: `${content} is missing, with the files of all sites` },
  ]);
});

test("a port that is used by another program is a problem, and the status is 1", async () => {
  using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { status, stderr, worst } = await doctor(folder.path, { VITRINE_LISTEN: `127.0.0.1:${other.port}` });
  expect([status, stderr]).toEqual([1, "error: 1 problem found\n"]);
  expect(worst("port")).toMatchObject([
    { verdict: "problem", advice: `see which program listens there: ss -ltnp 'sport = :${other.port}'` },
  ]);
});

test("a data folder that other users can read is a problem, with the command that fixes it", async () => {
  chmodSync(folder.path, 0o755);
  const { status, worst } = await doctor(folder.path, { VITRINE_LISTEN: "127.0.0.1:0" });
  expect(status).toBe(1);
  expect(worst("data folder")).toMatchObject([{ verdict: "problem", advice: `chmod 700 ${folder.path}` }]);
});

test("a base URL that is not in DNS is a problem that names both records", async () => {
  chmodSync(folder.path, 0o700);
  const env = { VITRINE_LISTEN: "127.0.0.1:0", VITRINE_BASE_URL: "https://pages.nowhere.invalid" };
  const { worst } = await doctor(folder.path, env);
  expect(worst("DNS").map(({ advice }) => advice)).toEqual([
    "set an A or AAAA record for pages.nowhere.invalid",
    "set an A or AAAA record for *.pages.nowhere.invalid",
  ]);
});

test("human-readable output has a line for each finding, with its remedy below", async () => {
  chmodSync(folder.path, 0o755);
  const { stdout } = await runCli(["doctor", "--data-dir", folder.path], { VITRINE_LISTEN: "127.0.0.1:0" });
  expect(stdout).toContain(
    `✗ data folder: ${folder.path} can be read by others (mode 755)\n  → chmod 700 ${folder.path}\n`,
  );
});
