import { type Resource, useResource } from "../../../api/resource.ts";
import type { Alias, Deployment, Retention } from "../../../api/types.ts";
import { sitePath } from "../../../router.ts";

/** Page size. */
export const PAGE = 20;

/** The path of the newest deployments: one request for the data of all rows. */
export function pagePath(site: string, limit = PAGE): string {
  return `/sites/${site}/deployments?limit=${limit}&include=changes`;
}

/** One deployment by its number: an empty list if it does not exist, or another one below that number. */
export function useDeployment(site: string, number: number): Resource<Deployment[]> {
  return useResource<Deployment[]>(`${pagePath(site, 1)}&before=${number + 1}`);
}

export function useAliases(site: string): Resource<Alias[]> {
  return useResource<Alias[]>(`/sites/${site}/aliases`);
}

/** The pinned deployments among others. */
export function useRetention(site: string): Resource<Retention> {
  return useResource<Retention>(`/sites/${site}/retention`);
}

/** The path of the page with the details of a deployment. */
export function detailsPath(site: string, number: number): string {
  return `${sitePath(site, "deployments")}?deployment=${number}`;
}

/** The path of the page with the files of a deployment. */
export function filesPath(site: string, number: number): string {
  return `${sitePath(site, "files")}?deployment=${number}`;
}

/** The path of the page with the report of a deployment. */
export function reportPath(site: string, number: number): string {
  return `${sitePath(site, "report")}?deployment=${number}`;
}

/** The number of the deployment that the URL of a page names; null for none. */
export function numberIn(search: string): number | null {
  const number = Number(new URLSearchParams(search).get("deployment"));
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}
