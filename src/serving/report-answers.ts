import type { Manifest } from "../domain/model/manifest.ts";
import type { Answer, AnswerRequest, Answers } from "../domain/report/ports.ts";
import { decodePath, isOwnPath, LOGO_PATH, pathOf, queryOf } from "../domain/request-target.ts";
import { compileWholeManifest } from "./deployments.ts";
import { isCatchAllRewrite, type Resolution, resolve } from "./resolve.ts";

/**
 * Returns the answers of a deployment to a browser, without its former deployments and without the access check. Links
 * are judged by the function that serves visitors, so that a report says what they get.
 */
export function makeAnswersOf({ maxUrlLength }: { readonly maxUrlLength: number }) {
  return (manifest: Manifest): Answers => {
    const site = compileWholeManifest(manifest);
    return ({ target, accept, destination }: AnswerRequest): Answer => {
      const path = pathOf(target);
      const decodedPath = decodePath(path);
      if (target.length > maxUrlLength) return plain(414);
      // Of the server's own paths, only its logo stays.
      if (decodedPath !== null && isOwnPath(decodedPath)) return plain(decodedPath === LOGO_PATH ? 200 : 404);
      const facts = { path, decodedPath, query: queryOf(target), accept, secFetchDest: destination };
      return answerOf(resolve(site, facts));
    };
  };
}

// --- internal ---

function plain(status: number): Answer {
  return { status, file: null, location: null, isFallback: false };
}

function answerOf(resolution: Resolution): Answer {
  const { status, step, rule } = resolution;
  if (resolution.kind === "plain") return plain(status);
  if (resolution.kind === "redirect") return { ...plain(status), location: resolution.location };
  const isFallback = status === 200 && (step === "single_page" || (rule !== null && isCatchAllRewrite(rule)));
  return { status, file: resolution.file.path, location: null, isFallback };
}
