import type { Quota, QuotaExcess } from "../../accounts/quota.ts";
import type { Deployment, DeploymentOrigin } from "../../deployments/deployment.ts";
import type { DeploymentRules, Manifest, Warning } from "../../deployments/manifest.ts";
import type { Alias } from "../../deployments/previews.ts";
import type { Freeze } from "../../sites/freeze.ts";
import type { Site } from "../../sites/site.ts";
import type { AuditEntry } from "./audit.ts";

/** What asked for a deployment. It may have expired meanwhile, but it must not have been revoked. */
export type DeploymentCredential =
  | { readonly kind: "session"; readonly sessionId: number }
  | { readonly kind: "deployment_token"; readonly tokenId: string };

/** Who asked for a deployment over the API, for the audit log. */
export interface Requester extends Pick<AuditEntry, "userId" | "address"> {
  /** Of a limited session. */
  readonly scope?: string;
}

/** Everything that one deployment makes visible, at once. */
export interface Publication {
  readonly siteName: string;
  /** Who owns the site, or will own it if it is made now. */
  readonly ownerId: number;
  /** The site that must still be there, such as a deployment token's own; null where it may be made anew. */
  readonly onlySiteId: number | null;
  /** Publishes and protects in one step; false leaves the site as it is. */
  readonly makePrivate: boolean;
  /** Protects the site only where this publication makes it; absent leaves a new one public. */
  readonly privateIfNew?: boolean;
  readonly manifest: Manifest;
  /** Digests that were not written for this deployment because the store knew them. */
  readonly reused: readonly string[];
  readonly warnings: readonly Warning[];
  /** Its kind is the deployment's source. */
  readonly credential: DeploymentCredential;
  readonly actor: string;
  /** Who asked for it over the API, for the audit log; absent adds no record. */
  readonly requestedBy?: Requester;
  /** Absent where nothing was said. */
  readonly origin?: DeploymentOrigin;
  /** Makes a deployment only where the files differ from those of the site's active one; absent makes one always. */
  readonly onlyIfChanged?: boolean;
  /** Leaves the site as it is; absent makes the deployment the active one. */
  readonly isPreview?: boolean;
  /** The label of the alias to point to the deployment; absent or null for none. */
  readonly alias?: string | null;
  /** Milliseconds after which preview and alias expire; absent or null for the site's default. */
  readonly lifetime?: number | null;
  /** Read before it is this one's turn, so that the one before it may have a later one: see `timeAfter`. */
  readonly createdAt: number;
}

interface Made {
  readonly site: Site;
  readonly deployment: Deployment;
  /** The alias that points to the deployment, where one was asked for. */
  readonly alias: Pick<Alias, "name" | "expiresAt"> | null;
}

export type PublicationResult =
  | ({ readonly outcome: "published" } & Made)
  /** All files are those of the site's active deployment, which is returned; only privacy and alias may have changed. */
  | ({ readonly outcome: "unchanged" } & Made)
  /** The alias would be one too many of its site. */
  | { readonly outcome: "too_many_aliases" }
  /** The name belongs to another owner. */
  | { readonly outcome: "not_owner" }
  /** The site that the permit was given for is gone; one of its name may have been made anew. */
  | { readonly outcome: "site_gone" }
  /** The account was removed meanwhile. */
  | { readonly outcome: "owner_gone" }
  /** The credential is gone: it was revoked, or ended by a new password, or it was a token of a site that is gone. */
  | { readonly outcome: "credential_revoked" }
  /** The name was another owner's until recently. */
  | { readonly outcome: "name_retired" }
  /** Content that was relied on has been swept meanwhile: unpack again. */
  | { readonly outcome: "content_gone" }
  /** The operator froze the site, or its owner. */
  | { readonly outcome: "frozen"; readonly freeze: Freeze }
  /** The owner's quota has no room for it. */
  | { readonly outcome: "over_quota"; readonly excess: QuotaExcess };

/** Where a deployment is found. */
export type DeploymentRef = Pick<Deployment, "id" | "siteId" | "number"> & { readonly siteName: string };

/** The outcomes that are a success. */
export type Published = Extract<PublicationResult, { outcome: "published" | "unchanged" }>;

/** The outcomes that changed nothing. */
export type PublicationRefusal = Exclude<PublicationResult, Published>;

export interface DeploymentStore {
  /**
   * Publishes a deployment in one transaction: reads the state, asks `planPublication`, and applies its plan, with the
   * audit record and the webhook events. The content must be durable before. Afterwards every reader sees all of it;
   * before, none. `quota` is the server's default; what the operator gave the owner replaces it.
   */
  publish(publication: Publication, quota?: Quota): Promise<PublicationResult>;

  find(siteId: number, number: number): Promise<Deployment | null>;
  /** Newest first; `before` is a deployment number and excluded. */
  list(
    siteId: number,
    page: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly Deployment[]>;

  /** Yields all deployments of all sites, in the order in which they were made. */
  all(): AsyncIterable<DeploymentRef>;

  /**
   * Makes a deployment the active one in one step, and notes it for the site's webhooks unless it was that already; null
   * when the site has no such deployment.
   */
  activate(siteId: number, number: number, at: number): Promise<Deployment | null>;

  /** Returns the manifest, which never changes; null when the deployment is gone. */
  manifest(deploymentId: number): Promise<Manifest | null>;

  /** Returns what a visit needs of the manifest, which `FileStore` completes; null when the deployment is gone. */
  rules(deploymentId: number): Promise<DeploymentRules | null>;
}
