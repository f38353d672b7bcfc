import { NO_ORIGIN } from "../../domain/model/deployment.ts";
import type { ManifestFile } from "../../domain/model/manifest.ts";
import type { Publication } from "../../domain/ports/store/deployments.ts";
import type { Store } from "../../domain/ports/store.ts";

type Facts = Pick<Publication, "siteName" | "ownerId"> &
  Partial<Publication> & { readonly sessionId: number; readonly files?: readonly ManifestFile[] };

/** Returns the publication of a deployment, an empty one by default, by a session of the site's owner. */
export function publicationOf({ sessionId, files = [], ...facts }: Facts): Publication {
  return {
    generated: false,
    makerId: facts.ownerId,
    onlySiteId: null,
    makePrivate: false,
    privateIfNew: false,
    origin: NO_ORIGIN,
    onlyIfChanged: false,
    isPreview: false,
    onlyPreviews: false,
    alias: null,
    lifetime: null,
    manifest: { files, redirects: [], headers: [] },
    reused: [],
    legacyTexts: [],
    withoutStartPage: null,
    warnings: [],
    credential: { kind: "session", sessionId },
    actor: "ada",
    requestedBy: null,
    startedAt: Number.MAX_SAFE_INTEGER,
    createdAt: 0,
    ...facts,
  };
}

/** Publishes such a deployment. Throws if it is refused. */
export async function publishDeployment({ deployments }: Pick<Store, "deployments">, facts: Facts) {
  const result = await deployments.publish(publicationOf(facts));
  if (result.outcome !== "published") throw new Error(`${facts.siteName}: ${result.outcome}`);
  return result;
}
