import { DomainError } from "../errors.ts";
import { requireSession, requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { noSuchDeployment } from "./history.ts";

/**
 * Deletes a deployment in one transaction, with the shares of its URL. From the next request on, its URLs respond with
 * 410, and the live site no longer serves its files. Content that nothing else refers to is purged within a minute. Also
 * on a frozen site, because the deployment may have published a secret. Throws `not_found`, and `conflict` while it is
 * active or an alias points to it.
 */
export async function deleteDeployment(
  ports: { readonly store: Pick<Store, "sites" | "deployments">; readonly clock: Clock },
  caller: Caller,
  name: string,
  number: number,
): Promise<void> {
  const site = await requireSite(ports.store, caller, name, "delete_deployment");
  const deletion = { at: ports.clock.now(), actor: requireSession(caller).user.login };
  const outcome = await ports.store.deployments.delete(site.id, number, deletion);
  if (outcome === "missing") noSuchDeployment(name, number);
  if (outcome === "active") throw new DomainError("conflict", "the deployment is active");
  if (outcome !== "deleted") {
    throw new DomainError("conflict", `aliases point to this deployment: ${outcome.aliases.join(", ")}`);
  }
}
