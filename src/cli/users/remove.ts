import type { OperatorPorts } from "../../app/operator.ts";
import type { User } from "../../domain/accounts/user.ts";
import type { Claim } from "../../domain/claims/claim.ts";
import { deleteSite } from "../../domain/sites/delete.ts";
import type { Site } from "../../domain/sites/site.ts";
import { Failure } from "../errors.ts";
import { findUser, onDataFolder } from "../operator.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { count } from "../terminal/units.ts";
import type { OperatorOptions } from "../verb.ts";

interface Options extends OperatorOptions {
  readonly withSites?: boolean;
}

/**
 * Removes a person with their sessions. Sites are somebody's work and may be in use: a person who owns some is removed
 * only when the operator says that the sites go too.
 */
export async function run(terminal: Terminal, login: string, options: Options): Promise<void> {
  await onDataFolder(terminal, options, async (ports) => {
    const user = await findUser(ports, login);
    const owned = await ports.store.sites.listOfOwner(user.id);
    if (owned.length > 0 && !options.withSites) throw ownsSites(user, owned);
    for (const site of owned) await refuseWithDomains(ports, user, site);
    const names = owned.map(({ name }) => name);
    await ports.record("users remove", { subject: [user.login, ...names].join(" ") });
    for (const name of names) await deleteSite(ports, { kind: "session", user, sessionId: 0, signedInAt: null }, name);
    const outcome = await ports.store.users.remove(user.id);
    if (outcome === "owns_sites") throw madeMore(user, names, await ports.store.sites.listOfOwner(user.id));
    const sites = names.length > 0 ? ` and ${count(names.length, "site")}: ${names.join(", ")}` : "";
    terminal.done(`Removed ${user.login}${sites}.`);
  });
}

/** A custom domain that still leads to one of the sites keeps everything. */
async function refuseWithDomains({ store }: OperatorPorts, user: User, site: Site): Promise<void> {
  const held = (await store.claims.listOfSite(site.id)).find(holdsItsSite);
  if (!held) return;
  throw new Failure(
    `${site.name} has the custom domain ${held.hostname}. Nothing was removed.`,
    `Remove it first: vitrine domains remove ${site.name} ${held.hostname} --token $(vitrine users session ${user.login})`,
  );
}

function holdsItsSite({ status, routeStatus }: Claim): boolean {
  const open = status === "pending" || status === "verified";
  return open || (routeStatus !== "not_routed" && routeStatus !== "removed");
}

function ownsSites(user: User, sites: readonly Site[]): Failure {
  const names = sites.map(({ name }) => name);
  return new Failure(
    `${user.login} owns ${count(names.length, "site")}: ${names.join(", ")}. Nothing was removed.`,
    `Delete them too, after a backup: vitrine users remove ${user.login} --with-sites`,
  );
}

/** Whoever is signed in may deploy a new site while the others are being deleted. */
function madeMore(user: User, deleted: readonly string[], sites: readonly Site[]): Failure {
  const names = sites.map(({ name }) => name).join(", ");
  const gone = deleted.length > 0 ? ` Deleted: ${deleted.join(", ")}.` : "";
  return new Failure(
    `${user.login} was not removed. New sites in the meantime: ${names}.${gone}`,
    `Run it again: vitrine users remove ${user.login} --with-sites`,
  );
}
