import { BoundedMemo, MAX_KEY_LENGTH } from "../domain/bounded-memo.ts";
import { ownCopy } from "../domain/own-copy.ts";
import { decodePath } from "../domain/request-target.ts";
import { FileAnswer, type SharedTemplates } from "./answer.ts";
import type { ServedDeployment, ServedDeployments } from "./deployments.ts";
import type { HostingOptions } from "./ports.ts";
import { mayBeFormer, type Resolution, resolve } from "./resolve.ts";
import type { SiteVisit } from "./site-visit.ts";
import { TinyLfu } from "./tiny-lfu.ts";

/** A file with its headers made, or what else the resolution says. */
export type Answer = FileAnswer | Exclude<Resolution, { kind: "file" }>;

export interface Answers {
  /**
   * Returns the prepared answer to an address that leads straight to a file, from memory; undefined where it has to be
   * looked for. `generation` is the store's.
   */
  recall(visit: SiteVisit, generation: number): FileAnswer | undefined;
  /** Finds the answer, at once where the deployment is in memory; null when it is gone. */
  find(visit: SiteVisit): Answer | null | Promise<Answer | null>;
}

/** What a prepared answer costs in memory, measured: its own fields and strings, and what of them waits to be collected. */
const BYTES_PER_ANSWER = 1200;

/** Templates take 3 kB a kind. */
const MAX_TEMPLATES = 1000;

export function makeAnswers(deployments: ServedDeployments, options: HostingOptions, memory: number): Answers {
  const prepared = new TinyLfu<FileAnswer>(memory);
  const shared: SharedTemplates = new BoundedMemo(MAX_TEMPLATES);

  const answerOf = (served: ServedDeployment, visit: SiteVisit, resolution: Resolution): Answer => {
    if (resolution.kind !== "file") return resolution;
    const { address } = visit;
    const answer = fileAnswer(served, visit, resolution, options.scheme, shared);
    if (address.length <= MAX_KEY_LENGTH && dependsOnPathAlone(resolution, served)) {
      prepared.set(ownCopy(address), answer, BYTES_PER_ANSWER + address.length);
    }
    return answer;
  };

  const findIn = (served: ServedDeployment, visit: SiteVisit): Answer | Promise<Answer> => {
    const found = resolveVisit(deployments, served, visit);
    if (!(found instanceof Promise)) return answerOf(served, visit, found);
    return found.then((resolution) => answerOf(served, visit, resolution));
  };

  return {
    recall({ route, address }, generation) {
      const answer = prepared.get(address);
      if (answer === undefined || answer.routeKey !== route.key) return undefined;
      return answer.complete || answer.generation === generation ? answer : undefined;
    },

    find(visit) {
      const { deploymentId } = visit.route;
      const served = deployments.recall(deploymentId);
      if (served !== undefined) return findIn(served, visit);
      return deployments.load(deploymentId).then((loaded) => loaded && findIn(loaded, visit));
    },
  };
}

/** Resolves once more where a former deployment may have the file. */
export function resolveVisit(
  deployments: ServedDeployments,
  served: ServedDeployment,
  visit: SiteVisit,
): Resolution | Promise<Resolution> {
  const first = resolve(served.manifest, visit);
  if (!visit.route.isLive || !mayBeFormer(first, visit.path)) return first;
  const path = (decodePath(visit.path) as string).slice(1);
  return deployments
    .findFormer(visit.route, path)
    .then((former) => (former === null ? first : resolve(served.manifest, visit, former)));
}

/** Returns the file that a visit leads to as an answer, its headers made. */
export function fileAnswer(
  served: ServedDeployment,
  { route, path }: SiteVisit,
  { file, status, canonical, step }: Resolution & { kind: "file" },
  scheme: string,
  shared: SharedTemplates,
): FileAnswer {
  return new FileAnswer(
    served,
    file,
    status,
    { route, path, canonical, scheme, isForPages: step === "single_page" },
    shared,
  );
}

// --- internal ---

/** Whether no other header and no query could lead this path elsewhere: an existing file, and no rule before it. */
function dependsOnPathAlone({ step }: Resolution, { manifest }: ServedDeployment): boolean {
  return (step === "exact_file" || step === "clean_url") && !manifest.hasForced;
}
