import type { Encodings } from "../../domain/ports/store/encodings.ts";
import type { Store } from "../../domain/ports/store.ts";

/** Records the given encodings by digest, and that there are none for all other pending content. */
export async function recordEncodings(
  { encodings }: Pick<Store, "encodings">,
  outcomes: Readonly<Record<string, Encodings>> = {},
): Promise<void> {
  const claims = await encodings.claim({ holder: "recorder", now: 0, until: 2 }, 1_000_000);
  const claimed = claims.map(({ digest, epoch }) => ({ digest, epoch, encodings: outcomes[digest] ?? {} }));
  await encodings.record(claimed, 1);
}
