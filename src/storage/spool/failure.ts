import { fileFailure } from "../disk-error.ts";

/** Returns what keeps the spool from being written or read in the domain's words. */
export function spoolFailure(error: unknown): unknown {
  return fileFailure(error, "the spool");
}
