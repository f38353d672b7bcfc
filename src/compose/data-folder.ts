import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Where things lie in the data folder. */
export interface DataFolder {
  readonly root: string;
  readonly database: string;
  readonly lock: string;
  readonly content: string;
  readonly spool: string;
}

/** A data folder that cannot be used: the message says why and what to do. */
export class UnusableDataFolder extends Error {}

export function dataFolder(root: string): DataFolder {
  return {
    root,
    database: join(root, "vitrine.db"),
    lock: join(root, "vitrine.lock"),
    content: join(root, "content"),
    spool: join(root, "spool"),
  };
}

/** Makes the data folder where it is missing, for its owner's eyes alone. Throws UnusableDataFolder. */
export function prepareDataFolder(root: string): DataFolder {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    // Somebody else's copy of the folder may have come with wider permissions than ours.
    if ((statSync(root).mode & 0o077) !== 0) chmodSync(root, 0o700);
  } catch (error) {
    throw new UnusableDataFolder(`the data folder ${root} cannot be used: ${(error as Error).message}`);
  }
  return dataFolder(root);
}
