import type { Config } from "../config/settings.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Throttle } from "../domain/ports/throttle.ts";
import type { Rates } from "../domain/rate-limit.ts";
import { newThrottleTable, sharedThrottle, type ThrottleTable } from "../workers/throttle-table.ts";

/** What the threads share to count API calls and visits; null where they are not limited. */
export interface ThrottleTables {
  readonly api: ThrottleTable | null;
  readonly visit: ThrottleTable | null;
}

export function newThrottleTables({ apiRate, visitRate }: Config, clock: Clock): ThrottleTables {
  return {
    api: apiRate && newThrottleTable(apiRate, clock.now()),
    visit: visitRate && newThrottleTable(visitRate, clock.now()),
  };
}

/** Returns a thread's end of a table; null where nothing is limited. */
export function throttleOf(table: ThrottleTable | null, clock: Clock): Throttle | null {
  return table && sharedThrottle(table, clock);
}

/** Returns the rates that are counted in the store. */
export function ratesInForce(config: Config): Rates {
  return {
    signIn: config.signInRate,
    userCode: config.userCodeRate,
    device: config.deviceRate,
    exchange: config.exchangeRate,
    shareGuess: config.shareGuessRate,
    token: config.tokenRate,
    claim: config.claimRate,
    claimBurst: config.claimBurstRate,
    webhook: config.webhookRate,
    deploy: config.deployRate,
    ownerDeploy: config.ownerDeployRate,
  };
}
