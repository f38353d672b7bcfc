import type { TokenPermission } from "./permission.ts";
import type { Role } from "./role.ts";
import type { SessionLimit } from "./scope.ts";
import type { User } from "./user.ts";

/** The caller of the API, identified by a credential. */
export type Caller = SessionCaller | LimitedSessionCaller | DeploymentTokenCaller;

export interface SessionCaller {
  readonly kind: "session";
  readonly user: User;
  readonly sessionId: number;
  /** When the request was authenticated. The user has the groups that hold then. */
  readonly at: number;
  /** When the user last signed in with this session; null for a session that began otherwise. */
  readonly signedInAt: number | null;
}

/** A session that a person granted less than their account may do. It is no `session`: what requires one refuses it. */
export interface LimitedSessionCaller extends Pick<SessionCaller, "user" | "sessionId" | "at"> {
  readonly kind: "limited_session";
  readonly limit: SessionLimit;
}

export interface DeploymentTokenCaller {
  readonly kind: "deployment_token";
  readonly tokenId: string;
  readonly tokenName: string;
  readonly permission: TokenPermission;
  readonly siteId: number;
  readonly siteName: string;
  readonly ownerId: number;
  /** The user who made the token. It may do at most what they may. */
  readonly makerId: number;
  /** Their role on the site now; null if they have none any more. */
  readonly makerRole: Role | null;
}

/** Returns what identifies the credential of a caller among all. */
export function credentialId(caller: Caller): string {
  return caller.kind === "deployment_token" ? `token ${caller.tokenId}` : `session ${caller.sessionId}`;
}
