import type { Freeze } from "../../model/freeze.ts";
import type { TokenPermission } from "../../model/permission.ts";

/** The stored data of a deployment token: its SHA-256, never the token. */
export interface NewDeploymentToken {
  /** Public identifier, random. */
  readonly id: string;
  readonly siteId: number;
  readonly name: string;
  readonly tokenHash: string;
  readonly permission: TokenPermission;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

export interface DeploymentToken extends Omit<NewDeploymentToken, "tokenHash"> {
  readonly siteName: string;
  readonly ownerId: number;
  readonly lastUsedAt: number | null;
  /** Null unless the operator froze the site's owner. */
  readonly ownerFrozen: Freeze | null;
}

export interface TokenStore {
  /** Throws `not_found` if its site was deleted meanwhile. */
  add(token: NewDeploymentToken): Promise<void>;
  /** Returns the token with its site, expired or not; null if it is unknown. One indexed read. */
  findByHash(tokenHash: string): Promise<DeploymentToken | null>;
  /** Returns the tokens of all sites of an owner, newest first, without those of exchanges. */
  listOfOwner(ownerId: number): Promise<readonly DeploymentToken[]>;
  /** Removes a token and returns the name of its site; null if it is unknown or belongs to another user. */
  revoke(id: string, ownerId: number): Promise<string | null>;
  /** Updates `lastUsedAt`. The caller does so at most once a minute per token. */
  touch(id: string, at: number): Promise<void>;
}
