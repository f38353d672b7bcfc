import type { Passwords } from "../../../domain/ports/passwords.ts";

/**
 * OWASP's first choice for argon2id. Bun's default needs 64 MiB per hash, so that ten concurrent sign-ins would need
 * more memory than the rest of the server.
 */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Returns the argon2id password hasher. It runs on Bun's thread pool, not on the event loop. */
export function createPasswords(): Passwords {
  let nobody: Promise<string> | undefined;
  return {
    hash: (password) => Bun.password.hash(password, ARGON2ID),
    async verify(password, hash) {
      nobody ??= Bun.password.hash(crypto.randomUUID(), ARGON2ID);
      const matches = await Bun.password.verify(password, hash ?? (await nobody));
      return hash !== null && matches;
    },
  };
}
