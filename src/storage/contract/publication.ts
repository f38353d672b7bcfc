import type { ManifestFile } from "../../domain/model/manifest.ts";
import type { Publication } from "../../domain/ports/store/deployments.ts";

type Facts = Pick<Publication, "siteName" | "ownerId"> &
  Partial<Publication> & { readonly sessionId: number; readonly files?: readonly ManifestFile[] };

/** Returns the publication of a deployment, an empty one by default, by a session of the site's owner. */
export function publicationOf({ sessionId, files = [], ...facts }: Facts): Publication {
  return {
    onlySiteId: null,
    makePrivate: false,
    manifest: { files, redirects: [], headers: [] },
    reused: [],
    warnings: [],
    credential: { kind: "session", sessionId },
    actor: "ada",
    createdAt: 0,
    ...facts,
  };
}
