import type { Warning } from "./manifest.ts";

/** Which kind of credential made a deployment. */
export type DeploymentSource = "session" | "deployment_token";

/** Where a deployment comes from, as whoever made it said; null where nothing was said. */
export interface DeploymentOrigin {
  /** Why it was made, such as the subject of a commit. */
  readonly message: string | null;
  readonly commit: string | null;
  /** The branch or tag. */
  readonly ref: string | null;
}

/** Most characters of each part of an origin. */
export const MAX_ORIGIN_LENGTH = 1000;

export const NO_ORIGIN: DeploymentOrigin = { message: null, commit: null, ref: null };

/** One numbered, immutable state of a site. */
export interface Deployment extends DeploymentOrigin {
  readonly id: number;
  readonly siteId: number;
  readonly number: number;
  readonly active: boolean;
  readonly createdAt: number;
  /** When it last became the active one; null for a preview. */
  readonly activatedAt: number | null;
  readonly source: DeploymentSource;
  /** The login or the deployment token's name. */
  readonly actor: string;
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly warnings: readonly Warning[];
  /** When a preview expires; null for deployments that were ever active, and for previews that stay. */
  readonly expiresAt: number | null;
}
