import type { TokenPermission } from "../tokens/permission.ts";
import type { User } from "./user.ts";

/** Who makes a request of the API, as its credential shows. */
export type Caller = SessionCaller | DeploymentTokenCaller;

export interface SessionCaller {
  readonly kind: "session";
  readonly user: User;
  readonly sessionId: number;
  /** When the person last proved who they are in this session; null for a session that began otherwise. */
  readonly signedInAt: number | null;
}

interface DeploymentTokenCaller {
  readonly kind: "deployment_token";
  readonly tokenId: string;
  readonly tokenName: string;
  readonly permission: TokenPermission;
  readonly siteId: number;
  readonly siteName: string;
  readonly ownerId: number;
}
