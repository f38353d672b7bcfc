import type { Secrets } from "../../domain/ports/system.ts";

/** The runtime's random numbers and hashes. */
export const systemSecrets: Secrets = {
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  sha256: (text) => Bun.CryptoHasher.hash("sha256", text, "hex"),
};
