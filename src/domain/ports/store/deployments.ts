import type { Agent } from "../../model/agent.ts";
import type { Deployment, DeploymentOrigin } from "../../model/deployment.ts";
import type { Freeze } from "../../model/freeze.ts";
import type { DeploymentRules, Manifest, Warning } from "../../model/manifest.ts";
import type { Page } from "../../model/page.ts";
import type { Alias } from "../../model/preview.ts";
import type { Quota, QuotaExcess } from "../../model/quota.ts";
import type { Role } from "../../model/role.ts";
import type { Site } from "../../model/site.ts";
import type { AuditEntry } from "./audit.ts";

/** The credential of a deployment. It may have expired meanwhile, but must not have been revoked. */
export type DeploymentCredential =
  | { readonly kind: "session"; readonly sessionId: number }
  | { readonly kind: "deployment_token"; readonly tokenId: string };

/** A deployment with which visitors of the site's URL get a 404 page. */
export interface WithoutStartPage {
  /** The id of the active deployment if they get a page with that one; otherwise null. */
  readonly activeWithPage: number | null;
}

/** The user who requested a deployment over the API, for the audit log. */
interface Requester extends Pick<AuditEntry, "userId" | "address"> {
  /** The scope of a limited session. */
  readonly scope?: string;
  /** The program that asked over MCP. */
  readonly agent?: Agent;
}

/** What is asked of a deployment besides its content. */
export interface DeployRequest {
  /** Null generates a name for a new site. */
  readonly siteName: string | null;
  /** Publishes the site and makes it private in one transaction; false leaves its access unchanged. */
  readonly makePrivate: boolean;
  /** A new site becomes public; an existing private one is refused. */
  readonly makePublic?: boolean;
  readonly origin: DeploymentOrigin;
  /** Creates a deployment only if the files differ from those of the active one. */
  readonly onlyIfChanged: boolean;
  /** Does not activate the deployment. */
  readonly isPreview: boolean;
  /** The alias to point to the deployment, as given; null for none. */
  readonly alias: string | null;
  /** Milliseconds after which preview and alias expire; null for the site's default. */
  readonly lifetime: number | null;
  /** Milliseconds after which a site that the deployment makes expires; null or absent for a site that stays. */
  readonly siteLifetime?: number | null;
}

/** A deployment that this caller may create, decided before the archive is read. */
export interface Permit extends DeployRequest {
  readonly siteName: string;
  /** True if the name was generated, so that another one will do. */
  readonly generated: boolean;
  /** The owner of the site, or of the site to be created. */
  readonly ownerId: number;
  /** The user for whom the credential acts. */
  readonly makerId: number;
  /** The only permitted site, for a caller who could not create it again; null for others. */
  readonly onlySiteId: number | null;
  /**
   * True if the site was private. If its owner deletes it during the upload, it is created again with the same access.
   */
  readonly privateIfNew: boolean;
  /** True if the credential can neither activate a deployment nor change what a custom domain shows. */
  readonly onlyPreviews: boolean;
  /** Its kind is the deployment's source. */
  readonly credential: DeploymentCredential;
  readonly actor: string;
  /** The user and the IP address of the API request, for the audit log. If null, no record is added. */
  readonly requestedBy: Requester | null;
}

/** A permit under which an archive is unpacked. */
export interface StartedPermit extends Permit {
  /**
   * Before any file of the archive was written. Content whose purge was requested since then may be gone, and must be
   * written again.
   */
  readonly startedAt: number;
}

/** All data of a deployment, which becomes visible at once. Its alias is the label. */
export interface Publication extends StartedPermit {
  readonly manifest: Manifest;
  /** Digests that were not written for this deployment because the store had them. */
  readonly reused: readonly string[];
  /** Digests of texts that are not UTF-8. */
  readonly legacyTexts: readonly string[];
  readonly warnings: readonly Warning[];
  /** Null if it has a start page. */
  readonly withoutStartPage: WithoutStartPage | null;
  /** Read before the transaction, so the previous deployment may have a later one: see `timeAfter`. */
  readonly createdAt: number;
}

interface Made {
  readonly site: Site;
  readonly deployment: Deployment;
  /** The alias that points to the deployment, if one was requested. */
  readonly alias: Pick<Alias, "name" | "expiresAt"> | null;
}

export type PublicationResult =
  | ({ readonly outcome: "published" } & Made)
  /** All files are those of the site's active deployment, which is returned; only privacy and alias may have changed. */
  | ({ readonly outcome: "unchanged" } & Made)
  /** The site has the maximum number of aliases. */
  | { readonly outcome: "too_many_aliases" }
  /** The name belongs to another owner. */
  | { readonly outcome: "not_owner" }
  /** The person for whom the credential acts may not deploy to the site any more. */
  | { readonly outcome: "role_lost" }
  /** Their role does not allow them to make the site private. */
  | { readonly outcome: "role_too_weak"; readonly role: Role }
  /** The site of the permit was deleted. Another one may have its name. */
  | { readonly outcome: "site_gone" }
  /** The account was deleted meanwhile. */
  | { readonly outcome: "owner_gone" }
  /** The credential was revoked, or invalidated by a new password, or deleted with its site. */
  | { readonly outcome: "credential_revoked" }
  /** The name belonged to another owner until recently, and is still reserved. */
  | { readonly outcome: "name_retired" }
  /** Content was swept or purged meanwhile. The archive must be unpacked again. */
  | { readonly outcome: "content_gone" }
  /** The site has expired, and waits for its removal. */
  | { readonly outcome: "expired" }
  /** The operator froze the site, or its owner. */
  | { readonly outcome: "frozen"; readonly freeze: Freeze }
  /** The deployment would exceed the owner's quota. */
  | { readonly outcome: "over_quota"; readonly excess: QuotaExcess };

/** The deletion of one deployment by a user. */
export interface Deletion {
  readonly at: number;
  /** The user's login. */
  readonly actor: string;
}

/** The result of a deletion; the names of the aliases that point to the deployment, in order. */
export type DeletionResult = "deleted" | "missing" | "active" | { readonly aliases: readonly string[] };

/** Identifies a deployment. */
export type DeploymentRef = Pick<Deployment, "id" | "siteId" | "number"> & { readonly siteName: string };

/** The successful outcomes. */
export type Published = Extract<PublicationResult, { outcome: "published" | "unchanged" }>;

/** The outcomes that changed nothing. */
export type PublicationRefusal = Exclude<PublicationResult, Published>;

/** A part of the files of a deployment. */
export interface FileQuery {
  /** The content of a folder, whose path ends with a slash and is empty for the root; or all files with a text in their path. */
  readonly within: { readonly folder: string } | { readonly text: string };
  /** The last path of the previous page; empty for the first one. */
  readonly after: string;
  readonly limit: number;
}

/** A file, or a folder, whose path ends with a slash, with the number and size of all files in it. */
export interface FileEntry {
  readonly path: string;
  /** 1 for a file. */
  readonly files: number;
  readonly size: number;
}

/** Looking up one file in one deployment takes a few microseconds. */
export const NEWEST_SEARCHED = 200;

export interface DeploymentStore {
  /**
   * Publishes a deployment in one transaction: reads the state, calls `planPublication`, and applies its plan, with the
   * audit record and the webhook events. The content must be durable before. Afterwards every reader sees all of it;
   * before, none. `quota` is the server's default, which an owner's own quota replaces.
   */
  publish(publication: Publication, quota?: Quota): Promise<PublicationResult>;

  find(siteId: number, number: number): Promise<Deployment | null>;
  /** Newest first; `before` is an exclusive deployment number. */
  list(siteId: number, page: Page): Promise<readonly Deployment[]>;

  /**
   * Returns the number of the newest deployment with each file; none for a file that no deployment has. Only the newest
   * `NEWEST_SEARCHED` deployments of the site are searched.
   */
  newestWith(siteId: number, paths: readonly string[]): Promise<ReadonlyMap<string, number>>;

  /** Yields all deployments of all sites in the order of their creation. */
  all(): AsyncIterable<DeploymentRef>;

  /**
   * Activates a deployment in one transaction, with an event for the site's webhooks unless it was active already; null
   * if the site has no such deployment.
   */
  activate(siteId: number, number: number, at: number): Promise<Deployment | null>;

  /**
   * Deletes a deployment in one transaction, with its pin, the shares of its URL and an event for the site's webhooks,
   * unless it is active or aliased. Its number counts as expired from then on: see `PreviewStore.hasExpired`. Content
   * that nothing else refers to is condemned, and its purge requested. On a full disk the reserve file is released for it.
   */
  delete(siteId: number, number: number, deletion: Deletion): Promise<DeletionResult>;

  /** Returns the manifest, which never changes; null if the deployment was deleted. */
  manifest(deploymentId: number): Promise<Manifest | null>;

  /** Returns a page of the files of a deployment by path; an empty one if it was deleted. */
  files(deploymentId: number, query: FileQuery): Promise<readonly FileEntry[]>;

  /**
   * Returns the part of the manifest that a visit needs, which `FileStore` completes; null if the deployment was
   * deleted. Afterwards, `FileStore.findFormer` knows the site's deployments that were replaced at or after
   * `formerSince`.
   */
  rules(deploymentId: number, formerSince?: number): Promise<DeploymentRules | null>;
}
