import { DomainError, fieldError, hasMaximum } from "../errors.ts";
import { requireChangeableSite, requireOwnRole, requireSession, requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { MAX_PUBLISHERS, type NewPublisher, type Publisher, type PublisherProvider } from "../model/publisher.ts";
import type { IdTokens } from "../ports/id-tokens.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";

type Ports = { readonly store: Pick<Store, "sites" | "publishers"> };

export type PublisherRequest = Omit<NewPublisher, "id" | "siteId" | "makerId" | "createdAt" | "issuer"> & {
  /** Null for the provider's own service. */
  readonly issuer: string | null;
};

/** The issuers of the providers' own services. Forgejo is always self-hosted. */
export const STANDARD_ISSUERS = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
} as const satisfies Partial<Record<PublisherProvider, string>>;

/** Returns the publishers of the caller's site, oldest first. Throws `not_found` and `forbidden`. */
export async function listPublishers(
  { store }: Ports,
  caller: Caller,
  siteName: string,
): Promise<readonly Publisher[]> {
  const site = await requireSite(store, caller, siteName, "manage_publishers");
  return store.publishers.listOfSite(site.id);
}

/**
 * Allows a CI workflow to deploy to the caller's site. Throws `validation` if the issuer is not configured by the
 * operator, or if any code in the repository could publish; `conflict` above the limit.
 */
export async function addPublisher(
  ports: Ports & { readonly clock: Clock; readonly secrets: Secrets; readonly idTokens: Pick<IdTokens, "issuers"> },
  caller: Caller,
  siteName: string,
  request: PublisherRequest,
): Promise<Publisher> {
  const issuer = acceptedIssuer(ports.idTokens.issuers, request);
  requireRefOrEnvironment(request);
  const site = await requireChangeableSite(ports.store, caller, siteName, "manage_publishers");
  await requireOwnRole(ports.store, caller, site, "manage_publishers");
  const id = ports.secrets.random(10).toHex();
  const { id: makerId } = requireSession(caller).user;
  const publisher = { ...request, issuer, id, siteId: site.id, makerId, createdAt: ports.clock.now() };
  if (await ports.store.publishers.add(publisher, MAX_PUBLISHERS)) {
    return { ...publisher, makerRole: site.role, pinned: null, lastUsedAt: null };
  }
  throw hasMaximum(site.name, MAX_PUBLISHERS, "publishers");
}

/** Removes a publisher and revokes its tokens. Throws `not_found` and `forbidden`. */
export async function removePublisher({ store }: Ports, caller: Caller, siteName: string, id: string): Promise<void> {
  const site = await requireSite(store, caller, siteName, "manage_publishers");
  if (!(await store.publishers.delete(site.id, id))) throw new DomainError("not_found", "publisher does not exist");
}

// --- internal ---

function acceptedIssuer(issuers: readonly string[], { provider, issuer }: PublisherRequest): string {
  const standard = provider === "forgejo" ? null : STANDARD_ISSUERS[provider];
  const wanted = issuer?.replace(/\/+$/, "") ?? standard;
  if (wanted === null) {
    throw fieldError(["body", "issuer"], "Give the issuer, such as https://forgejo.example.org/api/actions", "missing");
  }
  if (issuers.includes(wanted)) return wanted;
  throw fieldError(
    ["body", "issuer"],
    `${wanted} is not an accepted issuer: ask the operator to add it to --ci-issuers`,
  );
}

/** Otherwise anybody who may push to any branch could publish. */
function requireRefOrEnvironment({ permission, ref, environment }: PublisherRequest): void {
  if (permission !== "publish" || ref !== null || environment !== null) return;
  throw fieldError(
    ["body", "ref"],
    "Give a ref or an environment: without either, any branch could publish",
    "missing",
  );
}
