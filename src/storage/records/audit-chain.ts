import type { AuditEntry } from "../../domain/ports/store/audit.ts";

/** Links an entry to all entries before it. Entries without an account are hashed as before accounts were recorded. */
export function linkedHash(previous: string, entry: AuditEntry): string {
  const { at, kind, actor, address, action, site, subject, userId } = entry;
  const account = userId === null ? [] : [userId];
  const text = JSON.stringify([previous, at, kind, actor, address, action, site, subject, ...account]);
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
