import type { Secrets } from "../ports/system.ts";

/** Returns a new secret of 256 random bits for cookies and URLs. The store keeps its `sha256`. */
export function newCode(secrets: Pick<Secrets, "random">): string {
  return secrets.random(32).toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * Encrypts a text that can be read only with the secret. The secret is in the browser's cookie and the sealed text in
 * the store, and neither of them is useful without the other.
 */
export async function seal(secret: string, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await sealingKey(secret, "encrypt");
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(text));
  return `${iv.toBase64()}.${new Uint8Array(sealed).toBase64()}`;
}

/** Returns the text that was sealed with the secret, or null for another secret or a changed text. */
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

/** A different hash from the one in the store by which the secret is found. */
async function sealingKey(secret: string, usage: "encrypt" | "decrypt"): Promise<CryptoKey> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`seal ${secret}`));
  return crypto.subtle.importKey("raw", digest, "AES-GCM", false, [usage]);
}
