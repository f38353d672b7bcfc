import type { Deployment } from "../../../api/types.ts";

/** Returns the first line of a deployment's message; null if it has none. */
export function titleOf({ message }: Pick<Deployment, "message">): string | null {
  const [line = ""] = (message ?? "").trim().split("\n");
  return line === "" ? null : line;
}

/** What is shown in place of commit and branch: `9fceb02` and `main`. */
export interface Origin {
  readonly commit: string | null;
  readonly branch: string | null;
  /** How it was made, if it names neither. */
  readonly otherwise: string | null;
}

export function originOf(deployment: Pick<Deployment, "commit" | "ref" | "source">): Origin {
  const commit = deployment.commit && shortCommit(deployment.commit);
  const branch = deployment.ref && shortRef(deployment.ref);
  const otherwise = deployment.source === "session" ? "Deployed by hand" : "Deployed with a token";
  return { commit, branch, otherwise: commit || branch ? null : otherwise };
}

/** Returns whether publishing it goes back to what visitors saw before. */
export function isRollBack(deployment: Pick<Deployment, "activated_at" | "deployment_number">, live: number | null) {
  return deployment.activated_at !== null && live !== null && deployment.deployment_number < live;
}

/** A hash in as many digits as Git shows; anything else as it is. */
export function shortCommit(commit: string): string {
  return /^[0-9a-f]{8,}$/i.test(commit) ? commit.slice(0, 7) : commit;
}

/** `refs/heads/main` → `main`, `refs/pull/12/merge` → `pull/12/merge`. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads\/|tags\/|remotes\/)?/, "");
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** When something expires, in words; `soon` within a day. */
export interface Expiry {
  readonly text: string;
  readonly soon: boolean;
}

/** Returns the words for an expiry; null for what stays. */
export function expiryOf(expiresAt: string | null, now: number): Expiry | null {
  if (expiresAt === null || expiresAt === "") return null;
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return { text: "Expired", soon: true };
  return { text: `Expires in ${span(left)}`, soon: left < DAY };
}

/** `5 hours`; rounded down, so that it never promises more than there is. */
export function span(milliseconds: number): string {
  if (milliseconds < HOUR) return "less than an hour";
  const [length, unit] = milliseconds < 2 * DAY ? [HOUR, "hour"] : [DAY, "day"];
  const value = Math.floor(milliseconds / (length as number));
  return `${value} ${unit}${value === 1 ? "" : "s"}`;
}
