import type { Secrets } from "../ports/secrets.ts";

/** Returns a fresh secret of 256 random bits, fit for cookies and URLs; the store keeps `sha256` of it. */
export function newCode(secrets: Pick<Secrets, "random">): string {
  return secrets.random(32).toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * Encrypts a text so that only who holds the secret reads it. The secret lives in the browser's cookie and the sealed
 * text in the store: neither of them alone is worth anything.
 */
export async function seal(secret: string, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await sealingKey(secret, "encrypt");
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(text));
  return `${iv.toBase64()}.${new Uint8Array(sealed).toBase64()}`;
}

/** Returns the text that was sealed with the secret, or null where it was another secret or the text was changed. */
export async function unseal(secret: string, sealed: string): Promise<string | null> {
  const [iv = "", body = ""] = sealed.split(".");
  try {
    const key = await sealingKey(secret, "decrypt");
    const algorithm = { name: "AES-GCM", iv: Uint8Array.fromBase64(iv) };
    return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, Uint8Array.fromBase64(body)));
  } catch {
    return null;
  }
}

/** Not the hash under which the secret is found again: that one is in the store. */
async function sealingKey(secret: string, usage: "encrypt" | "decrypt"): Promise<CryptoKey> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`seal ${secret}`));
  return crypto.subtle.importKey("raw", digest, "AES-GCM", false, [usage]);
}
