import { type Verification, verify } from "../../domain/maintenance/verify.ts";
import type { StorageOptions } from "../open.ts";
import { withReadOnlyStorage } from "./read-only-store.ts";

/** Verifies the whole data folder, also while it is served. Throws UnusableDataFolder if there is none. */
export async function verifyDataFolder(
  options: StorageOptions,
  progress: (contents: number) => void,
): Promise<Verification> {
  return withReadOnlyStorage(options, async ({ store, openContent }) =>
    verify({ store, content: await openContent() }, progress),
  );
}
