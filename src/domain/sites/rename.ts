import { DomainError, deletedMeanwhile, fieldError } from "../errors.ts";
import { type PermittedSite, requireChangeableSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { FORMER_NAME_KEPT_DAYS, isReservedName, siteNameShapeProblem } from "../model/site-name.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { DAY } from "../timestamp.ts";

interface RenamePorts {
  readonly store: Pick<Store, "sites">;
  readonly clock: Clock;
  /** The label of the server's own host below the sites domain; null if its host is elsewhere. */
  readonly ownLabel: string | null;
}

/**
 * Gives a site another name, from the next request on. Everything else of it stays. Returns it with its former name, which
 * need not be the one by which the caller named it. Throws `validation` for a text that
 * is no site name, `not_found`, `forbidden`, and `conflict` for a name that is taken or reserved, and if the host of an
 * alias would be too long.
 */
export async function renameSite(
  { store, clock, ownLabel }: RenamePorts,
  caller: Caller,
  name: string,
  newName: string,
): Promise<PermittedSite & { readonly formerName: string }> {
  const problem = siteNameShapeProblem(newName);
  if (problem) throw fieldError(["body", "name"], `Give another name: ${problem}`);
  const site = await requireChangeableSite(store, caller, name, "rename");
  if (isReservedName(newName, ownLabel)) throw taken(newName);
  const at = clock.now();
  const outcome = await store.sites.rename(site.id, {
    name: newName,
    at,
    nameFreeAt: at + FORMER_NAME_KEPT_DAYS * DAY,
  });
  if (outcome === "missing") throw deletedMeanwhile("site");
  if (outcome === "taken") throw taken(newName);
  if (outcome !== "renamed") {
    const detail = `the host of the alias ${outcome.longAlias} would be too long: give a shorter name, or remove the alias`;
    throw new DomainError("conflict", detail);
  }
  return { ...site, name: newName, formerName: site.name };
}

// --- internal ---

function taken(name: string): DomainError {
  return new DomainError("conflict", `the name ${name} is taken or reserved: choose another`);
}
