import type { Warning } from "./manifest.ts";

/** Which kind of credential made a deployment. */
export type DeploymentSource = "session" | "deployment_token";

/** One numbered, immutable state of a site. */
export interface Deployment {
  readonly id: number;
  readonly siteId: number;
  readonly number: number;
  readonly active: boolean;
  readonly createdAt: number;
  /** When it last became the active one. */
  readonly activatedAt: number | null;
  readonly source: DeploymentSource;
  /** The login or the deployment token's name. */
  readonly actor: string;
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly warnings: readonly Warning[];
}
