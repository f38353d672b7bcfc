import type { Deployment } from "../../api/schemas/types.ts";
import { type ApiClient, path } from "../client/client.ts";

/** Yields a site's deployments, newest first. */
export async function* allDeployments(client: ApiClient, site: string): AsyncGenerator<Deployment> {
  for (let query = ""; ; ) {
    const page = await client.list<Deployment>(path`/sites/${site}/deployments` + query);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    query = `?before=${last.deployment_number}`;
  }
}
