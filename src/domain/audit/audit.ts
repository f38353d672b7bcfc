import type { Caller } from "../accounts/caller.ts";
import { requireOperator } from "../operators/operator.ts";
import type { Clock } from "../ports/clock.ts";
import type { AuditFilter, AuditPage, KeptAuditEntry } from "../ports/store/audit.ts";
import type { Store } from "../ports/store.ts";
import { requireOwnSite, requireSession } from "../sites/ownership.ts";
import { DAY } from "../timestamp.ts";

/** Entries dropped in one transaction: a few milliseconds, so that nobody waits for them. */
const BATCH = 2000;

/** Returns what the caller changed, and every change of their sites, newest first. For people alone. */
export async function listChanges(
  { store }: { readonly store: Pick<Store, "audit"> },
  caller: Caller,
  page: AuditPage,
): Promise<readonly KeptAuditEntry[]> {
  const { user } = requireSession(caller);
  return (await store.audit.listOfOwner(user.id, page)).map(asToldToOwners);
}

/**
 * Returns every change of a site, newest first, since it was made: the name may have been another owner's before. For
 * the owner alone.
 */
export async function listSiteChanges(
  { store }: { readonly store: Pick<Store, "audit" | "sites"> },
  caller: Caller,
  name: string,
  page: AuditPage,
): Promise<readonly KeptAuditEntry[]> {
  const site = await requireOwnSite(store, caller, name);
  return (await store.audit.list({ site: site.name, from: site.createdAt }, page)).map(asToldToOwners);
}

/** Returns every change there is, newest first, with who made it. Throws `forbidden` unless an operator asks. */
export async function listAllChanges(
  { store }: { readonly store: Pick<Store, "audit"> },
  caller: Caller,
  filter: AuditFilter,
  page: AuditPage,
): Promise<readonly KeptAuditEntry[]> {
  requireOperator(caller);
  return store.audit.list(filter, page);
}

/** Drops the entries that are older than so many days; returns how many. */
export async function dropOldEntries(
  { store, clock }: { readonly store: Pick<Store, "audit">; readonly clock: Clock },
  days: number,
  pause: () => Promise<void>,
): Promise<number> {
  const before = clock.now() - days * DAY;
  for (let total = 0; ; await pause()) {
    const dropped = await store.audit.dropOldest(before, BATCH);
    total += dropped;
    if (dropped < BATCH) return total;
  }
}

/** Returns as one line of the log what an operation was about; no value can be taken for more than one. */
export function formatSubject(of: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(of).map(([name, value = ""]) => `${name}=${encodeURIComponent(value)}`);
  return parts.join(" ");
}

// --- internal ---

/** Which system user the operator works as is nobody else's business. */
function asToldToOwners(entry: KeptAuditEntry): KeptAuditEntry {
  return entry.kind === "operator" ? { ...entry, actor: "" } : entry;
}
