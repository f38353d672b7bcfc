import { expect } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../cli/testing/run-cli.ts";
import { makeDatabase } from "../storage/postgres/testing/make-database.ts";
import { needing } from "../testing/needing.ts";
import { scratchFolder } from "./testing/executable.ts";
import { contentIn, noise, startWithSite, stopWhenEncoded } from "./testing/site-to-back-up.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const { test, beforeAll, afterAll } = needing("postgres");

let folder: ReturnType<typeof scratchFolder>;
beforeAll(() => {
  folder = scratchFolder();
});
afterAll(() => folder[Symbol.dispose]());

test("a server moves to PostgreSQL and back, with the same bytes, sessions and audit log; backups restore there", async () => {
  const [dataDir, database] = [join(folder.path, "moving"), await makeDatabase()];
  const env = { VITRINE_DATABASE: database };
  const cli = async (args: readonly string[], variables: Record<string, string> = {}) => {
    const { status, stdout, stderr } = await runCli([...args, "--data-dir", dataDir], variables);
    return `${status} ${stderr}${stdout}`;
  };
  const { vitrine, token } = await startWithSite({ "data-dir": dataDir });
  /** Returns the bytes of the response. On a busy machine, a node may be without its lease for a moment. */
  const answered = async (ask: () => Promise<Response>) => {
    let response = await ask();
    while (response.status === 503) response = await ask();
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };
  const download = (from: TestServer) =>
    answered(() => from.call("GET", "/sites/demo/deployments/1/archive", { token }));
  const archive = await download(vitrine);
  await stopWhenEncoded(vitrine);
  const entries = (await runCli(["audit", "--json", "--data-dir", dataDir])).stdout;

  expect(await cli(["move", "--to-database", database, "--dry-run"])).toMatch(/^0 .*Would move \d+ rows/);
  expect(await cli(["move", "--to-database", database])).toMatch(/^0 .*Moved (\d+) rows to .*: \1 copied/);
  await expect(startTestServer({ "data-dir": dataDir })).rejects.toThrow("whose database is elsewhere");
  const into = join(folder.path, "restored");
  {
    await using served = await startTestServer({ "data-dir": dataDir, database });
    expect((await download(served)).equals(archive)).toBe(true);
    expect(Buffer.compare(await answered(() => served.visit("demo", "/large.bin")), noise)).toBe(0);
    expect((await runCli(["audit", "--json", "--data-dir", dataDir], env)).stdout).toBe(entries);
    expect(await cli(["verify"], env)).toStartWith("0 ✓ Nothing is missing or damaged: 3 files");
    expect(await cli(["doctor"], env)).toContain("is the primary");
    const backup = join(folder.path, "backup.tar.zst");
    expect(await cli(["backup", backup], env)).toContain("1 site, 1 deployment, 3 files (6 MiB, 3 copied)");
    expect((await runCli(["restore", backup, "--data-dir", into])).status).toBe(0);
  }
  expect(contentIn(into)).toEqual(contentIn(dataDir));
  expect((await runCli(["audit", "--json", "--data-dir", into])).stdout).toBe(entries);

  expect(await cli(["move", "--to-data-dir", dataDir], env)).toMatch(/^0 .*Moved (\d+) rows/);
  expect(readdirSync(dataDir)).not.toContain("replica.db");
  await expect(startTestServer({ "data-dir": into, database })).rejects.toThrow("database of its own");
  await using again = await startTestServer({ "data-dir": dataDir });
  expect((await download(again)).equals(archive)).toBe(true);
  expect((await runCli(["audit", "--json", "--data-dir", dataDir])).stdout).toBe(entries);
});
