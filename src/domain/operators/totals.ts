import type { Caller } from "../accounts/caller.ts";
import type { Clock } from "../ports/clock.ts";
import type { Totals } from "../ports/store/totals.ts";
import type { Store } from "../ports/store.ts";
import { requireOperator } from "./operator.ts";

interface Ports {
  readonly store: Pick<Store, "totals">;
  readonly clock: Clock;
}

/** Returns how many people and sites there are. Throws `forbidden` unless an operator asks. */
export async function countPeopleAndSites({ store, clock }: Ports, caller: Caller): Promise<Totals> {
  requireOperator(caller);
  return store.totals(clock.now());
}
