import type { SweepPorts } from "../domain/deployments/sweep.ts";
import { type Swept, sweepContent } from "../domain/deployments/sweep.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Store } from "../domain/ports/store.ts";
import { forgetExpired } from "../domain/sign-in/forget-expired.ts";
import { HOUR, MINUTE, SECOND } from "../domain/timestamp.ts";

/** Between two sweeps. No upload takes this long from its first written file to its publication. */
export const SWEEP_INTERVAL = HOUR;

/** Content published so recently is spared although nothing refers to it: its site may be deployed again right away. */
const PUBLISHED_GRACE = HOUR;

/** A wall clock that moved so much further, or less far, than the time that passed was set by somebody. */
const CLOCK_JUMP = 10 * MINUTE;

/** Files get their time from a clock that ticks every few milliseconds. */
const FILE_TIME_TICK = SECOND;

interface SweepJobPorts extends SweepPorts {
  readonly store: SweepPorts["store"] &
    Pick<Store, "sessions" | "visits" | "deviceCodes" | "signInAttempts" | "rateLimits">;
  readonly clock: Clock;
  /** The clock from which files have their times. */
  readonly fileClock: Clock;
  /** Milliseconds that nobody can set. */
  readonly elapsed: () => number;
}

/**
 * Returns the job that sweeps once. It is made before anybody can upload: whatever was written earlier was left by a
 * crash. Later sweeps spare what was written since the one before, so that a wall clock that jumps ahead between them
 * makes nothing look old; and what expires is kept for one more round after such a jump.
 */
export function sweepJob(ports: SweepJobPorts): () => Promise<Swept & { readonly expired: number }> {
  const look = () => ({ files: ports.fileClock.now(), wall: ports.clock.now(), elapsed: ports.elapsed() });
  let last = look();
  return async () => {
    const now = look();
    const jumped = Math.abs(now.wall - last.wall - (now.elapsed - last.elapsed)) > CLOCK_JUMP;
    const writtenBefore = last.files - FILE_TIME_TICK;
    const swept = await sweepContent(ports, { publishedBefore: now.wall - PUBLISHED_GRACE, writtenBefore });
    const expired = jumped ? 0 : await forgetExpired(ports.store, now.wall);
    last = now;
    return { ...swept, expired };
  };
}
