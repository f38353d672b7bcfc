/** Returns the error's code, such as `ENOENT` or `SQLITE_BUSY`; empty if it has none. */
export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  // The code of a DOMException is a number.
  return typeof code === "string" ? code : "";
}

/** Returns the message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns whether a write failed because the disk is full, also in SQLite. */
export function isDiskFull(error: unknown): boolean {
  return /^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(errorCode(error));
}
