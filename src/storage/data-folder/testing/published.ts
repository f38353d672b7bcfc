import { join } from "node:path";
import { withDataFolder } from "../../../app/operator.ts";
import type { Config } from "../../../config/settings.ts";
import { openFilesystemContent } from "../../content/filesystem/filesystem.ts";
import { addSession } from "../../contract/people.ts";
import { publicationOf } from "../../contract/publication.ts";
import { makeDataFolder } from "./make-data-folder.ts";

/** Publishes a site with one file in a data folder, which is created if necessary. */
export async function publish(config: Config, content: Uint8Array): Promise<void> {
  const digest = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  await openFilesystemContent(join(config.dataDir, "content")).put(digest, content);
  const files = [{ path: "index.html", digest, size: content.length }];
  await makeDataFolder(config.dataDir);
  await withDataFolder(config, async ({ store }) => {
    const ada = { provider: "local", subject: "1", login: "ada", name: null, avatarUrl: null } as const;
    await store.users.add({ ...ada, mayOwn: true, passwordHash: null, createdAt: 0 });
    const { id = 0 } = (await store.users.findByLogin("local", "ada")) ?? {};
    const demo = { siteName: "demo", ownerId: id, sessionId: await addSession(store, id), files, createdAt: 1 };
    await store.deployments.publish(publicationOf(demo));
  });
}
