import { prepareDatabase, prepareDataFolder } from "../../folder/data-folder.ts";

/**
 * Creates a data folder with an empty database, as the first start of `vitrine serve` does. An existing one is kept.
 */
export async function makeDataFolder(root: string): Promise<void> {
  await prepareDatabase(prepareDataFolder(root));
  // SQLite closes the files only once uncollected statements are gone.
  Bun.gc(true);
}
