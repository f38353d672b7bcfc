import { BoundedMemo, MAX_KEY_LENGTH } from "../domain/bounded-memo.ts";
import type { MetHeaderRule } from "../domain/deployments/header-matcher.ts";
import { ownCopy } from "../domain/own-copy.ts";
import type { FileStore } from "../domain/ports/store/files.ts";
import { decodePath } from "../domain/request-target.ts";
import { FileAnswer, type SharedTemplates } from "./answer.ts";
import type { CompiledManifest } from "./compiled-manifest.ts";
import type { ServedDeployments } from "./deployments.ts";
import type { FindFormerFile } from "./former-files.ts";
import type { HostingOptions } from "./ports.ts";
import { mayBeFormer, type Resolution, resolve } from "./resolve.ts";
import type { SiteVisit } from "./site-visit.ts";
import { TinyLfu } from "./tiny-lfu.ts";

/** A file with its headers made, or what else the resolution says, and the rules of `_headers` that the address meets. */
export type Answer = FileAnswer | (Exclude<Resolution, { kind: "file" }> & { readonly headerRules: HeaderRules });

type HeaderRules = readonly MetHeaderRule[];

export interface Answers {
  /**
   * Returns the prepared answer to an address that leads straight to a file, from memory; undefined where it has to be
   * looked for. `generation` is the store's.
   */
  recall(visit: SiteVisit, generation: number): FileAnswer | undefined;
  /** Finds the answer, at once where the deployment is in memory; null when it is gone. */
  find(visit: SiteVisit, generation: number): Answer | null | Promise<Answer | null>;
  /** Returns the rules of `_headers` that the visit's address meets, at once where the deployment is in memory. */
  headerRules(visit: SiteVisit): HeaderRules | Promise<HeaderRules>;
}

/** What a prepared answer costs in memory, measured: its own fields and strings, and what of them waits to be collected. */
const BYTES_PER_ANSWER = 1200;

/** Templates take 3 kB a kind. */
const MAX_TEMPLATES = 1000;

/** Where answers are found. */
interface Sources {
  readonly deployments: ServedDeployments;
  readonly findFormerFile: FindFormerFile;
  readonly files: Pick<FileStore, "readTogether">;
}

export function makeAnswers(sources: Sources, options: HostingOptions, memory: number): Answers {
  const { deployments, findFormerFile, files } = sources;
  const prepared = new TinyLfu<FileAnswer>(memory);
  const shared: SharedTemplates = new BoundedMemo(MAX_TEMPLATES);

  const findIn = (site: CompiledManifest, visit: SiteVisit, generation: number): Answer => {
    const resolution = files.readTogether(() => resolveVisit(site, findFormerFile, visit));
    if (resolution.kind !== "file") return { ...resolution, headerRules: headerRulesOf(site, visit) };
    const { address } = visit;
    const answer = fileAnswer(site, visit, resolution, { scheme: options.scheme, generation, shared });
    if (address.length <= MAX_KEY_LENGTH && dependsOnPathAlone(resolution, site)) {
      prepared.set(ownCopy(address), answer, BYTES_PER_ANSWER + address.length + answer.fieldBytes);
    }
    return answer;
  };

  return {
    recall({ route, address }, generation) {
      const answer = prepared.get(address);
      if (answer === undefined || answer.routeKey !== route.key) return undefined;
      return answer.complete || answer.generation === generation ? answer : undefined;
    },

    find(visit, generation) {
      const { deploymentId } = visit.route;
      const site = deployments.recall(deploymentId);
      if (site !== undefined) return findIn(site, visit, generation);
      return deployments.load(visit.route).then((loaded) => loaded && findIn(loaded, visit, generation));
    },

    headerRules(visit) {
      const { deploymentId } = visit.route;
      const site = deployments.recall(deploymentId);
      if (site !== undefined) return headerRulesOf(site, visit);
      return deployments.load(visit.route).then((loaded) => (loaded ? headerRulesOf(loaded, visit) : []));
    },
  };
}

/** Returns the rules of `_headers` that the visit's address meets; none where it cannot be read. */
export function headerRulesOf(site: CompiledManifest, { path }: SiteVisit): HeaderRules {
  const decoded = decodePath(path);
  return decoded === null ? [] : site.headerRules(decoded);
}

/** Resolves once more where a former deployment has the file. */
export function resolveVisit(site: CompiledManifest, findFormerFile: FindFormerFile, visit: SiteVisit): Resolution {
  const resolution = resolve(site, visit);
  if (!visit.route.isLive || !mayBeFormer(resolution, visit.path)) return resolution;
  const former = findFormerFile(visit.route, (decodePath(visit.path) as string).slice(1));
  return former === null ? resolution : resolve(site, visit, former);
}

/** What the answers of a thread have in common. */
export interface Making {
  readonly scheme: string;
  /** The store's, as of before the file was looked up. */
  readonly generation: number;
  readonly shared: SharedTemplates;
}

/** Returns the file that a visit leads to as an answer, its headers made. */
export function fileAnswer(
  site: CompiledManifest,
  { route, path }: SiteVisit,
  { file, status, canonical, step }: Resolution & { kind: "file" },
  { scheme, generation, shared }: Making,
): FileAnswer {
  const isForPages = step === "single_page";
  return new FileAnswer(site, file, status, { route, path, canonical, scheme, isForPages, generation }, shared);
}

// --- internal ---

/** Whether no other header and no query could lead this path elsewhere: an existing file, and no rule before it. */
function dependsOnPathAlone({ step }: Resolution, { hasForced }: CompiledManifest): boolean {
  return (step === "exact_file" || step === "clean_url") && !hasForced;
}
