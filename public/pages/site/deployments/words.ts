import { DAY, HOUR } from "../../../../src/domain/timestamp.ts";
import type { Deployment } from "../../../api/types.ts";
import { count } from "../../../format.ts";

/** Returns the first line of a deployment's message; null if it has none. */
export function titleOf({ message }: Pick<Deployment, "message">): string | null {
  const [line = ""] = (message ?? "").trim().split("\n");
  return line === "" ? null : line;
}

/** Returns the heading of a deployment: its title, or its number. */
export function headingOf(deployment: Pick<Deployment, "message" | "deployment_number">): string {
  return titleOf(deployment) ?? `Deployment ${deployment.deployment_number}`;
}

/** Shown in place of commit and branch: `9fceb02` and `main`. */
interface Origin {
  readonly commit: string | null;
  readonly branch: string | null;
  /** The origin, if it has neither. */
  readonly otherwise: string | null;
}

export function originOf(deployment: Pick<Deployment, "commit" | "ref" | "source">): Origin {
  const commit = deployment.commit && shortCommit(deployment.commit);
  const branch = deployment.ref && shortRef(deployment.ref);
  const otherwise = deployment.source === "session" ? "Deployed by hand" : "Deployed with a token";
  return { commit, branch, otherwise: commit || branch ? null : otherwise };
}

/** Returns whether publishing it restores something that visitors saw before. */
export function isRollBack(deployment: Pick<Deployment, "activated_at" | "deployment_number">, live: number | null) {
  return deployment.activated_at !== null && live !== null && deployment.deployment_number < live;
}

/** Truncates a hash like Git; other text is unchanged. */
export function shortCommit(commit: string): string {
  return /^[0-9a-f]{8,}$/i.test(commit) ? commit.slice(0, 7) : commit;
}

/** `refs/heads/main` → `main`, `refs/pull/12/merge` → `pull/12/merge`. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads\/|tags\/|remotes\/)?/, "");
}

/** An expiry as text; `soon` within a day. */
interface Expiry {
  readonly text: string;
  readonly soon: boolean;
}

/** Returns the text for an expiry; null if there is none. */
export function expiryOf(expiresAt: string | null, now: number): Expiry | null {
  if (expiresAt === null || expiresAt === "") return null;
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return { text: "Expired", soon: true };
  return { text: `Expires in ${span(left)}`, soon: left < DAY };
}

/** `5 hours`; rounded, so that an expiry of 30 days is not said to be in 29 a moment later. */
export function span(milliseconds: number): string {
  if (milliseconds < HOUR) return "less than an hour";
  const [length, unit] = milliseconds < 2 * DAY ? [HOUR, "hour"] : [DAY, "day"];
  return count(Math.round(milliseconds / (length as number)), unit as string);
}
