import { join } from "node:path";
import { withDataFolder } from "../../../app/operator.ts";
import type { Config } from "../../../config/settings.ts";
import { openFilesystemContent } from "../../content/filesystem/filesystem.ts";
import { addPerson, addSite } from "../../contract/people.ts";
import { makeDataFolder } from "./make-data-folder.ts";

/** Publishes a site with one file in a data folder, which is created if necessary. */
export async function publish(config: Config, content: Uint8Array): Promise<void> {
  const digest = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  await openFilesystemContent(join(config.dataDir, "content")).put(digest, content);
  const files = [{ path: "index.html", digest, size: content.length }];
  await makeDataFolder(config.dataDir);
  await withDataFolder(config, async ({ store }) => {
    const ada = await addPerson(store, "ada");
    await addSite(store, "demo", ada.id, false, files);
  });
}
