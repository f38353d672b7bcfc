import type { Passwords } from "../../../domain/ports/passwords.ts";

/**
 * OWASP's first choice for argon2id. Bun's own default takes 64 MiB a guess, so that ten sign-ins at once would cost
 * more memory than the rest of the server.
 */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Makes the argon2id password hasher. Hashing runs on Bun's thread pool, not on the event loop. */
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
