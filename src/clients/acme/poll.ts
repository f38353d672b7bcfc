import { AcmeProblem } from "./transport.ts";

const FIRST_WAIT = 200;
const LONGEST_WAIT = 5_000;
/** Validation from several places takes a few seconds, signing a few more. What takes longer is resumed later. */
const PATIENCE = 120_000;

/**
 * Asks again and again until the resource has a status other than `unsettled`, and returns it. Rejects as undecided
 * when that takes more than two minutes: the order stands, and the next attempt goes on from there.
 */
export async function settle<T extends { readonly status: string }>(
  ask: () => Promise<T>,
  unsettled: readonly string[],
  what: string,
): Promise<T> {
  const deadline = performance.now() + PATIENCE;
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 1.5, LONGEST_WAIT)) {
    const resource = await ask();
    if (!unsettled.includes(resource.status)) return resource;
    if (performance.now() + wait > deadline) {
      throw new AcmeProblem("undecided", `the CA has not decided on ${what} after ${PATIENCE / 1000} seconds`);
    }
    await Bun.sleep(wait);
  }
}
