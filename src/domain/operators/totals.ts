import type { Caller } from "../model/caller.ts";
import { requireOperator } from "../model/operator.ts";
import type { Clock } from "../ports/system.ts";
import type { Totals } from "../ports/store/totals.ts";
import type { Store } from "../ports/store.ts";

interface Ports {
  readonly store: Pick<Store, "totals">;
  readonly clock: Clock;
}

/** Returns how many people and sites there are. Throws `forbidden` unless an operator asks. */
export async function countPeopleAndSites({ store, clock }: Ports, caller: Caller): Promise<Totals> {
  requireOperator(caller);
  return store.totals(clock.now());
}
