import type { PublishedSite } from "../../domain/deployments/publication.ts";
import type { PublicationRefusal } from "../../domain/ports/store/deployments.ts";

/**
 * Rolls the transaction back. The refusal is null if the site has changed, which was created or has another active
 * deployment, and the publication must be tried again.
 */
export class NotPublished extends Error {
  constructor(readonly refusal: PublicationRefusal | null) {
    super(refusal?.outcome);
  }
}

/** The comparison of a publication's files with those of the active deployment. */
export interface Comparison {
  readonly activeId: number | null;
  readonly isSame: boolean;
}

export type FoundSite = PublishedSite & { readonly name: string; readonly previewLifetime: number | null };
