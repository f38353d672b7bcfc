import type { Agent } from "./agent.ts";
import type { Warning } from "./manifest.ts";

/** The kind of credential that created a deployment. */
export type DeploymentSource = "session" | "deployment_token";

/** The origin of a deployment as given by its uploader; null where absent. */
export interface DeploymentOrigin {
  /** The reason, such as the subject of a commit. */
  readonly message: string | null;
  readonly commit: string | null;
  /** The branch or tag. */
  readonly ref: string | null;
}

/** Maximum characters of each part of an origin. */
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
  /** The program that made it over MCP; null for all others. */
  readonly agent: Agent | null;
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly warnings: readonly Warning[];
  /**
   * True if visitors of the site's URL get a 404 page with it, although they got a page with a deployment that was active
   * before it.
   */
  readonly startPageGone: boolean;
  /** When a preview expires; null for deployments that were ever active, and for previews that stay. */
  readonly expiresAt: number | null;
}
