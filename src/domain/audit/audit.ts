import { requireSession, requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { requireOperator } from "../model/operator.ts";
import type { Page } from "../model/page.ts";
import { may } from "../model/role.ts";
import type { AuditFilter, KeptAuditEntry } from "../ports/store/audit.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { DAY } from "../timestamp.ts";

/** Entries deleted per transaction, which takes a few milliseconds. */
const BATCH = 2000;

/** Returns the caller's changes and all changes to their sites, newest first. Not for deployment tokens. */
export async function listChanges(
  { store }: { readonly store: Pick<Store, "audit"> },
  caller: Caller,
  page: Page,
): Promise<readonly KeptAuditEntry[]> {
  const { user } = requireSession(caller);
  return (await store.audit.listOfOwner(user.id, page)).map(redactForOwners);
}

/**
 * Returns all changes to a site since its creation, newest first; the name may have had another owner before. For
 * the people who work on the site; deployers see no addresses.
 */
export async function listSiteChanges(
  { store }: { readonly store: Pick<Store, "audit" | "sites"> },
  caller: Caller,
  name: string,
  page: Page,
): Promise<readonly KeptAuditEntry[]> {
  const site = await requireSite(store, caller, name, "read_activity");
  const entries = (await store.audit.listOfSite(site, page)).map(redactForOwners);
  return may(site.role, "read_addresses") ? entries : entries.map((entry) => ({ ...entry, address: "" }));
}

/** Returns all changes, newest first, with their actors. Throws `forbidden` unless the caller is an operator. */
export async function listAllChanges(
  { store }: { readonly store: Pick<Store, "audit"> },
  caller: Caller,
  filter: AuditFilter,
  page: Page,
): Promise<readonly KeptAuditEntry[]> {
  requireOperator(caller);
  return store.audit.list(filter, page);
}

/** Deletes entries older than `days`; returns their number. */
export async function dropOldEntries(
  { store, clock }: { readonly store: Pick<Store, "audit">; readonly clock: Clock },
  days: number,
  pause: () => Promise<void>,
): Promise<number> {
  const before = clock.now() - days * DAY;
  for (let total = 0; ; await pause()) {
    const dropped = await store.audit.deleteOldest(before, BATCH);
    total += dropped;
    if (dropped < BATCH) return total;
  }
}

/** Formats the subject of an operation on one line; values are escaped so that they cannot be confused. */
export function formatSubject(of: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(of).map(([name, value = ""]) => `${name}=${encodeURIComponent(value)}`);
  return parts.join(" ");
}

// --- internal ---

/** Neither the operator's name nor their address is shown to others. */
function redactForOwners(entry: KeptAuditEntry): KeptAuditEntry {
  return entry.kind === "operator" ? { ...entry, actor: "", address: "" } : entry;
}
