import { prepareDatabase, prepareDataFolder } from "../data-folder.ts";

/** Makes a data folder with an empty database, as the first start of `vitrine serve` does; one that is there stays. */
export async function makeDataFolder(root: string): Promise<void> {
  await prepareDatabase(prepareDataFolder(root));
  // Only then SQLite lets go of the files: statements that are not collected yet hold on to them.
  Bun.gc(true);
}
