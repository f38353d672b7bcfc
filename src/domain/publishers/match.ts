import type { Publisher } from "../model/publisher.ts";
import type { Claims } from "../ports/id-tokens.ts";
import { CLAIM_NAMES, type Run, runOf } from "./run.ts";

/** A claim that a publisher does not accept, and why. */
export interface Difference {
  readonly claim: string;
  readonly why: string;
}

/**
 * The result of comparing a run with a site's publishers. `publisher` is the matching one; `differences` are those of
 * the closest one.
 */
type Match =
  | { readonly kind: "fits"; readonly publisher: Publisher; readonly run: Run }
  | { readonly kind: "differs"; readonly differences: readonly Difference[] }
  /** No publisher is for that repository. */
  | { readonly kind: "unknown" };

/** Returns the publisher that matches a run, preferably one that may publish. */
export function matchPublishers(publishers: readonly Publisher[], issuer: string, claims: Claims): Match {
  const candidates = publishers
    .filter((publisher) => publisher.issuer === issuer)
    .map((publisher) => ({ publisher, run: runOf(publisher.provider, claims) }))
    .filter(({ publisher, run }) => isForRepository(publisher, run))
    .map(({ publisher, run }) => ({ publisher, run, differences: differencesOf(publisher, run) }));
  const fitting = candidates.filter(({ differences }) => differences.length === 0);
  const best = fitting.find(({ publisher }) => publisher.permission === "publish") ?? fitting[0];
  if (best) return { kind: "fits", publisher: best.publisher, run: best.run };
  const [closest] = candidates.toSorted((one, other) => one.differences.length - other.differences.length);
  return closest ? { kind: "differs", differences: closest.differences } : { kind: "unknown" };
}

// --- internal ---

/**
 * Compares the ids once they are known, so that the repository can be renamed. A repository that has taken its name is
 * named in the refusal.
 */
function isForRepository({ repository, pinned }: Publisher, run: Run): boolean {
  if (pinned && pinned.repositoryId === run.ids?.repositoryId) return true;
  return run.repository !== null && run.repository.toLowerCase() === repository.toLowerCase();
}

function differencesOf(publisher: Publisher, run: Run): readonly Difference[] {
  const identity = identityDifferences(publisher, run);
  // The publisher's other conditions are not revealed to another repository.
  return identity.length > 0 ? identity : [...runDifferences(publisher, run), ...permissionDifferences(publisher, run)];
}

function identityDifferences({ provider, pinned }: Publisher, { ids, repository }: Run): Difference[] {
  const names = CLAIM_NAMES[provider];
  if (ids === null) {
    return [{ claim: `${names.repositoryId}, ${names.ownerId}`, why: "the ID token has to hold both" }];
  }
  if (repository === null) return [{ claim: names.repository, why: "the ID token has to hold it" }];
  const changed =
    "is not the one that this publisher was first used with; if that is intended, add the publisher again";
  return (["repositoryId", "ownerId"] as const)
    .filter((id) => pinned !== null && pinned[id] !== ids[id])
    .map((id) => ({ claim: names[id], why: `${ids[id]} ${changed}` }));
}

function runDifferences({ provider, ...publisher }: Publisher, run: Run): Difference[] {
  const names = CLAIM_NAMES[provider];
  const wanted = [
    [names.workflow, publisher.workflow, run.workflow],
    [names.ref, publisher.ref, run.ref],
    ["environment", publisher.environment, run.environment],
  ] as const;
  return wanted
    .filter(([, expected, actual]) => expected !== null && expected !== actual)
    .map(([claim, expected, actual]) => ({
      claim,
      why: `${actual === null ? "missing" : JSON.stringify(actual)}, but the publisher asks for ${JSON.stringify(expected)}`,
    }));
}

function permissionDifferences({ provider, permission }: Publisher, run: Run): Difference[] {
  if (permission !== "publish") return [];
  const names = CLAIM_NAMES[provider];
  const differences: Difference[] = [];
  // It runs with the rights of the base branch, and often with files of untrusted contributors.
  if (run.event === "pull_request_target") {
    differences.push({ claim: names.event, why: "a run of pull_request_target may only make previews" });
  }
  if (provider === "gitlab" && !run.isRefProtected) {
    differences.push({ claim: "ref_protected", why: "only a protected branch or tag may publish" });
  }
  return differences;
}
