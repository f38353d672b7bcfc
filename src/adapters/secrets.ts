import type { Secrets } from "../domain/ports/secrets.ts";

/** The runtime's random numbers and hashes. */
export const systemSecrets: Secrets = {
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  sha256: (text) => new Bun.CryptoHasher("sha256").update(text).digest("hex"),
};
