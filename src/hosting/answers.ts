import { FileAnswer } from "./answer.ts";
import type { ServedDeployment, ServedDeployments } from "./deployments.ts";
import type { HostingOptions } from "./ports.ts";
import { mayBeInGrace, type RequestFacts, type Resolution, resolve } from "./resolve.ts";
import { TinyLfu } from "./tiny-lfu.ts";
import type { SiteVisit } from "./site-visit.ts";

/** A file with its headers made, or what else the resolution says. */
export type Answer = FileAnswer | Exclude<Resolution, { kind: "file" }>;

export interface Answers {
  /**
   * Returns the prepared answer to an address that leads straight to a file, from memory; undefined where it has to be
   * looked for. `generation` is the store's.
   */
  recall(visit: SiteVisit, generation: number): FileAnswer | undefined;
  /** Finds the answer; null when the deployment is gone. */
  find(visit: SiteVisit): Promise<Answer | null>;
}

/** An answer, and what it was made for: the address may lead somewhere else by now. */
interface Prepared {
  readonly answer: FileAnswer;
  readonly routeKey: string;
}

/** What a prepared answer costs in memory, measured: its own fields, strings, and a set of headers. */
const BYTES_PER_ANSWER = 2200;

export function makeAnswers(deployments: ServedDeployments, options: HostingOptions, memory: number): Answers {
  const prepared = new TinyLfu<Prepared>(memory);

  /** Resolves once more with the former deployments' files where only they could know better. */
  const resolveVisit = async ({ manifest }: ServedDeployment, visit: SiteVisit): Promise<Resolution> => {
    const facts = factsOf(visit);
    const first = resolve(manifest, facts);
    if (!visit.route.isLive || !mayBeInGrace(first, visit.path)) return first;
    return resolve(manifest, facts, await deployments.grace(visit.route));
  };

  return {
    recall({ route, address }, generation) {
      const known = prepared.get(address);
      if (known === undefined || known.routeKey !== route.key) return undefined;
      const { answer } = known;
      return answer.complete || answer.generation === generation ? answer : undefined;
    },

    async find(visit) {
      const { route, path } = visit;
      const served = await deployments.load(route.deploymentId);
      if (served === null) return null;
      const resolution = await resolveVisit(served, visit);
      if (resolution.kind !== "file") return resolution;
      const { file, status, canonical } = resolution;
      const answer = new FileAnswer(served, file, status, { route, path, canonical, scheme: options.scheme });
      if (dependsOnPathAlone(resolution, served)) {
        const { address } = visit;
        prepared.set(address, { answer, routeKey: route.key }, BYTES_PER_ANSWER + address.length);
      }
      return answer;
    },
  };
}

// --- internal ---

/** Whether no other header and no query could lead this path elsewhere: an existing file, and no rule before it. */
function dependsOnPathAlone({ step }: Resolution, { manifest }: ServedDeployment): boolean {
  return (step === "exact_file" || step === "clean_url") && !manifest.hasForced;
}

function factsOf({ request, path, query }: SiteVisit): RequestFacts {
  const { headers } = request;
  return { path, query, accept: headers.get("accept"), secFetchDest: headers.get("sec-fetch-dest") };
}
