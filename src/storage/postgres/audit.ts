import { desc } from "drizzle-orm";
import type { AuditEntry } from "../../domain/ports/store/audit.ts";
import { linkedHash } from "../audit-chain.ts";
import type { Drizzle } from "./connection.ts";
import { takeTurn } from "./locks.ts";
import { first } from "./rows.ts";
import { audit, auditAnchor } from "./schema.ts";

/** Adds an entry in the transaction of the change that it records, as its last step: all that add one wait for it. */
export async function appendEntry(tx: Drizzle, entry: AuditEntry): Promise<void> {
  await takeTurn(tx, "audit");
  const last = await first(tx.select({ hash: audit.hash }).from(audit).orderBy(desc(audit.id)).limit(1));
  const before = last ?? (await first(tx.select({ hash: auditAnchor.hash }).from(auditAnchor)));
  await tx.insert(audit).values({ ...entry, hash: linkedHash(before?.hash ?? "", entry) });
}
