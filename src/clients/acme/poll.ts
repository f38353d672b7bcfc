import { AcmeProblem } from "./transport.ts";

const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 5_000;
/** Validation from several places takes a few seconds, signing a few more. What takes longer is resumed later. */
const MAX_POLL_MS = 120_000;

/**
 * Polls until the resource has a status other than `unsettled`, and returns it. Rejects as undecided after two minutes:
 * the order stays, and the next attempt resumes it.
 */
export async function pollUntilSettled<T extends { readonly status: string }>(
  ask: () => Promise<T>,
  unsettled: readonly string[],
  what: string,
): Promise<T> {
  const deadline = performance.now() + MAX_POLL_MS;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, MAX_WAIT_MS)) {
    const resource = await ask();
    if (!unsettled.includes(resource.status)) return resource;
    if (performance.now() + wait > deadline) {
      throw new AcmeProblem("undecided", `the CA has not decided on ${what} after ${MAX_POLL_MS / 1000} seconds`);
    }
    await Bun.sleep(wait);
  }
}
