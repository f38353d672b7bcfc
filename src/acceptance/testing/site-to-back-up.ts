import { expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BackupsResponse } from "../../api/schemas/backups.ts";
import { runCli } from "../../cli/testing/run-cli.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { startSession } from "../../domain/accounts/sessions.ts";
import { ONLY_NODE } from "../../workers/shared.ts";
import { zipOf } from "./archives.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

/** A file of several parts of S3. */
export const noise = crypto.getRandomValues(new Uint8Array(6 * 1024 * 1024));

/** Starts a server with a site and an operator who has just signed in. */
export async function startWithSite(flags: Record<string, string>) {
  const vitrine = await startTestServer({ "metrics-listen": "127.0.0.1:0", workers: "1", ...flags });
  const { store, clock } = vitrine;
  const { user } = await vitrine.signUp("root");
  await store.users.setOperator(user.id, true);
  const signIn = { userId: user.id, clientName: "test", address: null, signedIn: true };
  const recentToken = async () => (await startSession({ store, clock, secrets: systemSecrets }, signIn)).token;
  const token = await recentToken();
  const files = { "index.html": "one", "empty.txt": "", "large.bin": noise };
  const archive = await zipOf(files, { compress: false });
  expect((await vitrine.deploy(token, archive, { site: "demo" })).status).toBe(201);
  return { vitrine, token, recentToken, ...watch(vitrine, token) };
}

/** Stops a server without content to encode: the thread for it may outlive the server, and keep the database in use. */
export async function stopWhenEncoded({ store, clock, stop }: TestServer): Promise<void> {
  while (await store.encodings.isPending({ holder: ONLY_NODE, now: clock.now() })) await Bun.sleep(25);
  await stop();
}

function watch(vitrine: TestServer, token: string) {
  const overview = async () =>
    (await (await vitrine.call("GET", "/admin/backups", { token })).json()) as typeof BackupsResponse.static;
  return {
    overview,
    /** Waits until the newest backup matches. */
    async newest(is: (backup: (typeof BackupsResponse.static)["backups"][number]) => boolean) {
      for (;;) {
        const { backups, schedule } = await overview();
        if (backups[0] && is(backups[0])) return { backup: backups[0], schedule };
        await Bun.sleep(50);
      }
    },
    async metrics() {
      const text = await (await fetch(`http://127.0.0.1:${vitrine.metricsPort}/metrics`)).text();
      return text.split("\n").filter((line) => line.startsWith("vitrine_backup"));
    },
  };
}

/** The content of all sites, by digest. */
export function contentIn(dataDir: string): Record<string, string> {
  const entries = readdirSync(join(dataDir, "content"), { recursive: true, withFileTypes: true });
  const contents = entries.filter((entry) => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name));
  return Object.fromEntries(
    contents.map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name)).toString("base64")]),
  );
}

/** Restores a backup into a new data folder below `home`. Compares that byte for byte with the original. */
export async function expectRestored(
  from: string,
  of: TestServer,
  home: string,
  command: (args: readonly string[]) => Promise<{ status: number; stderr: string }> = runCli,
): Promise<string> {
  const dataDir = join(home, crypto.randomUUID());
  const restored = await command(["restore", from, "--data-dir", dataDir]);
  expect([restored.status, restored.stderr]).toEqual([0, expect.stringContaining("Restored 3 files")]);
  expect(contentIn(dataDir)).toEqual(contentIn(of.config.dataDir));
  return dataDir;
}

/** Verifies a restored data folder, and serves it. */
export async function expectToWork(dataDir: string): Promise<void> {
  expect((await runCli(["verify", "--data-dir", dataDir])).status).toBe(0);
  await using again = await startTestServer({ "data-dir": dataDir });
  expect(await (await again.visit("demo")).text()).toBe("one");
  expect(Buffer.compare(await (await again.visit("demo", "/large.bin")).bytes(), noise)).toBe(0);
}
