import type { StartPages } from "../domain/deployments/start-page.ts";
import type { Store } from "../domain/ports/store.ts";
import { compileManifest, compileWholeManifest, servedFiles } from "./deployments.ts";
import { type RequestFacts, resolve } from "./resolve.ts";

const START_PAGE: RequestFacts = { path: "/", decodedPath: "/", query: "", accept: null, secFetchDest: null };

/** Returns what visitors of a site's URL get, by the rules of a visit. */
export function startPagesOf({ deployments, files }: Pick<Store, "deployments" | "files">): StartPages {
  return {
    statusOf: (manifest) => resolve(compileWholeManifest(manifest), START_PAGE).status,

    async statusOfStored(deploymentId) {
      const rules = await deployments.rules(deploymentId);
      if (rules === null) return null;
      return files.readTogether(
        () => resolve(compileManifest(rules, servedFiles(files, deploymentId)), START_PAGE).status,
      );
    },
  };
}
