import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../config.ts";
import { withDataFolder } from "./operator.ts";
import { verifyDataFolder } from "./verification.ts";

test("of many files that need the same content the newest few are named, and all are counted", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "vitrine-verify-"));
  const config = loadConfig({ flags: { dataDir }, env: {} });
  const digest = "a".repeat(64);
  const manifest = { files: [{ path: "index.html", digest, size: 1 }], redirects: [], headers: [] };
  await withDataFolder(config, async ({ store }) => {
    const ada = { provider: "local", subject: "1", login: "ada", name: null, avatarUrl: null } as const;
    const { id } = (await store.users.add({ ...ada, mayOwn: true, passwordHash: null, createdAt: 0 })) ?? { id: 0 };
    const demo = { siteName: "demo", ownerId: id, onlySiteId: null, makePrivate: false, source: "session" } as const;
    for (let createdAt = 1; createdAt <= 7; createdAt++) {
      await store.deployments.publish({ ...demo, manifest, reused: [], warnings: [], actor: "ada", createdAt });
    }
  });
  const { problems } = await verifyDataFolder(config, () => {});
  rmSync(dataDir, { recursive: true });
  const files = [7, 6, 5, 4, 3].map((number) => `demo#${number}: /index.html`);
  expect(problems).toMatchObject([{ kind: "content_missing", subject: digest, files, needed: 7 }]);
});
