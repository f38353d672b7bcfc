import type { Caller } from "../model/caller.ts";
import { requireOperator } from "../model/operator.ts";
import type { Examination, Examiner } from "../ports/examiner.ts";

/**
 * Runs the checks of the server. Throws `forbidden` unless the caller is an operator, and `unavailable` like
 * `Examiner`.
 */
export async function examineServer(
  { maintenance }: { readonly maintenance: Examiner },
  caller: Caller,
): Promise<Examination> {
  requireOperator(caller);
  return maintenance.examine();
}
