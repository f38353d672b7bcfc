import { type Verification, verify } from "../../domain/maintenance/verify.ts";
import type { StorageOptions } from "../open.ts";
import { lookAtStorage } from "./read-only-store.ts";

/** Verifies everything in the data folder, also while it is served. Throws UnusableDataFolder where there is none. */
export async function verifyDataFolder(
  options: StorageOptions,
  progress: (contents: number) => void,
): Promise<Verification> {
  return lookAtStorage(options, (storage) => verify(storage, progress));
}
