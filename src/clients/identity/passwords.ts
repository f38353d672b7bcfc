import { loadOnce } from "../../domain/load-once.ts";
import type { Passwords } from "../../domain/ports/system.ts";
import { makeTurns } from "../../domain/turns.ts";

/**
 * OWASP's first choice for argon2id. Bun's default needs 64 MiB per hash, so that ten concurrent sign-ins would need
 * more memory than the rest of the server.
 */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** The maximum number of waiting hashes: 2.5 seconds of work. */
const MAX_WAITING = 100;

/**
 * Returns the argon2id password hasher. It runs on Bun's thread pool, not on the event loop. One hash is computed at a
 * time, so that password guessing from many addresses occupies one core at most. Throws `unavailable` if more than 100
 * are waiting.
 */
export function createPasswords(hasher: Pick<typeof Bun.password, "hash" | "verify"> = Bun.password): Passwords {
  const turns = makeTurns(MAX_WAITING, "too many passwords are being checked: try again");
  const inTurn = <Result>(task: () => Promise<Result>) => turns("", task);
  const nobody = loadOnce(() => hasher.hash(crypto.randomUUID(), ARGON2ID));
  return {
    hash: (password) => inTurn(() => hasher.hash(password, ARGON2ID)),
    verify: (password, hash) =>
      inTurn(async () => {
        // Also if it is not needed, so that the first check of an unknown login takes no longer than others.
        const other = await nobody();
        const matches = await hasher.verify(password, hash ?? other);
        return hash !== null && matches;
      }),
  };
}
