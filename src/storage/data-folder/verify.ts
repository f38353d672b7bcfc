import type { Config } from "../../config/settings.ts";
import { type Verification, verify } from "../../domain/maintenance/verify.ts";
import { lookAtContent } from "../content/filesystem/filesystem.ts";
import { dataFolder } from "./data-folder.ts";
import { lookAtStore } from "./read-only-store.ts";

/** Verifies everything in the data folder, also while it is served. Throws UnusableDataFolder where there is none. */
export async function verifyDataFolder(config: Config, progress: (contents: number) => void): Promise<Verification> {
  const folder = dataFolder(config.dataDir);
  return lookAtStore(config, (store) => verify({ store, content: lookAtContent(folder.content) }, progress));
}
