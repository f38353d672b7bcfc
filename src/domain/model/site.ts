import type { Freeze } from "./freeze.ts";

/** A site: its name under the sites domain, its owner, and its active deployment. */
export interface Site {
  readonly id: number;
  readonly name: string;
  readonly ownerId: number;
  readonly private: boolean;
  readonly createdAt: number;
  readonly lastDeployedAt: number;
  readonly activeDeployment: number | null;
  /** The size of the active deployment's files; null if there is none. */
  readonly sizeBytes: number | null;
  readonly totalViews: number;
  /** The owner's labels, in the order given. */
  readonly tags: readonly string[];
  /** Null unless the operator froze the site or its owner. */
  readonly frozen: Freeze | null;
  /** Null if the site stays. */
  readonly expiresAt: number | null;
  /** True once it has expired. Nothing can be changed until it gets another expiry. */
  readonly expired: boolean;
}

/** Something of a site, with the site's own name: a request may name the site by a former one. */
export type OfSite<T> = T & { readonly siteName: string };

export function ofSite<T extends object>({ name }: Pick<Site, "name">, one: T): OfSite<T> {
  return { ...one, siteName: name };
}

/** The name of a deleted site. Until a time only its owner can use it. */
interface RetiredName {
  readonly name: string;
  readonly ownerId: number;
  readonly freeAt: number;
}

/** No user has this id. It owns the names of sites that were deleted while frozen, which nobody can use. */
const NOBODY = 0;

/** Returns the reservation of a site's name after its deletion. */
export function retiredName({ name, ownerId, frozen }: Site, freeAt: number): RetiredName {
  return { name, ownerId: frozen ? NOBODY : ownerId, freeAt };
}
