import type { Freeze } from "../../model/freeze.ts";
import type { TokenPermission } from "../../model/permission.ts";
import type { Role } from "../../model/role.ts";

/** The stored data of a deployment token: its SHA-256, never the token. */
export interface NewDeploymentToken {
  /** Public identifier, random. */
  readonly id: string;
  readonly siteId: number;
  /** The user who made it, or its publisher. */
  readonly makerId: number;
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
  /** The role of its maker on the site now; null if they have none any more. */
  readonly makerRole: Role | null;
  /** Null unless the operator froze the site's owner, or the token's maker. */
  readonly frozen: Freeze | null;
}

export interface TokenStore {
  /** Throws `not_found` if its site was deleted meanwhile. */
  add(token: NewDeploymentToken): Promise<void>;
  /** Returns the token with its site, expired or not; null if it is unknown. One indexed read. */
  findByHash(tokenHash: string): Promise<DeploymentToken | null>;
  /**
   * Returns the tokens of all sites on which a user works, newest first, without those of exchanges, with the user's role
   * on each site.
   */
  listOfMember(userId: number, now: number): Promise<readonly (DeploymentToken & { readonly role: Role })[]>;
  /** Returns a token by its id; null if it is unknown. */
  find(id: string): Promise<DeploymentToken | null>;
  /** Deletes a token. Returns false if it is unknown. */
  delete(id: string): Promise<boolean>;
  /** Updates `lastUsedAt`. The caller does so at most once a minute per token. */
  touch(id: string, at: number): Promise<void>;
}
