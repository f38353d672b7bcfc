import type { Deployment } from "../model/deployment.ts";
import type { Manifest, Warning } from "../model/manifest.ts";
import type { WithoutStartPage } from "../ports/store/deployments.ts";
import type { Store } from "../ports/store.ts";

/** Tells what visitors of a site's URL get, as a visit would find out. */
export interface StartPages {
  /** Returns the status of a deployment that is not stored yet. */
  statusOf(manifest: Manifest): number;
  /** Returns the status of a stored deployment; null if it was deleted. */
  statusOfStored(deploymentId: number): Promise<number | null>;
}

/** Compares a new deployment with the site's active one. Returns null if it has a start page. */
export async function missingStartPageOf(
  { store, startPages }: { readonly store: Pick<Store, "sites">; readonly startPages: StartPages },
  siteName: string,
  manifest: Manifest,
): Promise<WithoutStartPage | null> {
  if (startPages.statusOf(manifest) !== 404) return null;
  const active = (await store.sites.findRoute(siteName))?.activeDeploymentId ?? null;
  const hasPage = active !== null && (await startPages.statusOfStored(active)) === 200;
  return { activeWithPage: hasPage ? active : null };
}

/**
 * Returns the warning about a deployment that takes the start page away, or that lacks it like the one that took it
 * away; null for all others. `active` is the deployment that it would replace.
 */
export function warnAboutLostStartPage(
  active: Pick<Deployment, "id" | "number" | "startPageGone"> | null,
  missing: WithoutStartPage | null,
  { siteName, isPreview }: { readonly siteName: string; readonly isPreview: boolean },
): Warning | null {
  if (active === null || missing === null) return null;
  const about = (message: string): Warning => ({ file: "/", line: 0, message });
  if (active.startPageGone) return about(`visitors ${isPreview ? "would still" : "still"} get a 404 page here`);
  if (missing.activeWithPage !== active.id) return null;
  const { number } = active;
  return isPreview
    ? about(`visitors would get a 404 page here, and they get a page with deployment ${number}, which is live`)
    : about(
        `visitors get a 404 page here now, and got a page with deployment ${number}. Go back to it: vitrine rollback ${siteName}`,
      );
}
