import type { StartPages } from "../domain/deployments/start-page.ts";
import { type Manifest, type ManifestFile, rulesOf } from "../domain/model/manifest.ts";
import type { StoredFile } from "../domain/ports/store/files.ts";
import type { Store } from "../domain/ports/store.ts";
import { isServed } from "../domain/rules/clean-urls.ts";
import { compileManifest, type FileLookup, servedFiles } from "./deployments.ts";
import { type RequestFacts, resolve } from "./resolve.ts";

const START_PAGE: RequestFacts = { path: "/", decodedPath: "/", query: "", accept: null, secFetchDest: null };

/** Returns what visitors of a site's URL get, by the rules of a visit. */
export function startPagesOf({ deployments, files }: Pick<Store, "deployments" | "files">): StartPages {
  return {
    statusOf: (manifest) => resolve(compileManifest(rulesOf(manifest), filesOf(manifest)), START_PAGE).status,

    async statusOfStored(deploymentId) {
      const rules = await deployments.rules(deploymentId);
      if (rules === null) return null;
      return files.readTogether(
        () => resolve(compileManifest(rules, servedFiles(files, deploymentId)), START_PAGE).status,
      );
    },
  };
}

// --- internal ---

function filesOf({ files }: Manifest): FileLookup {
  const served = new Map(files.filter(({ path }) => isServed(path)).map((file) => [file.path, unencoded(file)]));
  return { get: (path) => served.get(path) ?? null, has: (path) => served.has(path) };
}

function unencoded(file: ManifestFile): StoredFile {
  return { ...file, encodings: {}, isEncoded: false, isLegacyText: false };
}
