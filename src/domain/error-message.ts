/** Returns the error's code, such as `ENOENT` or `SQLITE_BUSY`; empty when it has none. */
export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  // The web's exceptions have a number there.
  return typeof code === "string" ? code : "";
}

/** Returns what was thrown in words. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a file system, or SQLite on it, has no room left for what was to be written. */
export function isDiskFull(error: unknown): boolean {
  return /^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(errorCode(error));
}
