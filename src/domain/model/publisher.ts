import type { TokenPermission } from "./permission.ts";
import type { Role } from "./role.ts";

export const PUBLISHER_PROVIDERS = ["github", "gitlab", "forgejo"] as const;

export type PublisherProvider = (typeof PUBLISHER_PROVIDERS)[number];

/** Maximum publishers of a site. */
export const MAX_PUBLISHERS = 20;

/** The ids of a repository and its owner, which no other repository can get. */
export interface RepositoryIds {
  readonly repositoryId: string;
  readonly ownerId: string;
}

/** The runs that a publisher trusts; null matches any. */
interface TrustedRuns {
  readonly provider: PublisherProvider;
  /** Without a trailing slash. */
  readonly issuer: string;
  /** Such as `owner/repository`, or a project's path with its groups. */
  readonly repository: string;
  /** The file's name, such as `deploy.yml`. */
  readonly workflow: string | null;
  /** In full, such as `refs/heads/main`. */
  readonly ref: string | null;
  readonly environment: string | null;
  readonly permission: TokenPermission;
}

export interface NewPublisher extends TrustedRuns {
  /** Public identifier, random. */
  readonly id: string;
  readonly siteId: number;
  /** The user who added it. Its tokens may do at most what they may. */
  readonly makerId: number;
  readonly createdAt: number;
}

/** A CI workflow that may exchange its ID token for a deployment token. */
export interface Publisher extends NewPublisher {
  /** The role of its maker on the site now; null if they have none any more. */
  readonly makerRole: Role | null;
  /** Null until the first exchange. */
  readonly pinned: RepositoryIds | null;
  readonly lastUsedAt: number | null;
}
