import type { Webhook } from "../model/webhook.ts";
import type { Secrets } from "../ports/system.ts";
import { HOUR } from "../timestamp.ts";

const PREFIX = "whsec_";

/** Standard Webhooks requires 24 to 64 random bytes; this is the length of the digest. */
const KEY_BYTES = 32;

/** The time after a rotation in which the previous secret also signs, until receivers use the new one. */
export const ROTATION_TIME = 24 * HOUR;

export function newWebhookSecret(secrets: Secrets): string {
  return PREFIX + secrets.random(KEY_BYTES).toBase64();
}

/**
 * Returns the headers of an attempt as in Standard Webhooks 1.0: the event's ID, the attempt's time in seconds, and a
 * signature of both with the body for each valid secret.
 */
export async function signedHeaders(
  webhook: Pick<Webhook, "secret" | "previousSecret" | "previousSecretUntil">,
  message: { readonly id: string; readonly at: number; readonly body: string },
): Promise<Record<string, string>> {
  const seconds = String(Math.floor(message.at / 1000));
  const signed = `${message.id}.${seconds}.${message.body}`;
  const signatures = await Promise.all(goodSecrets(webhook, message.at).map((secret) => sign(secret, signed)));
  return { "webhook-id": message.id, "webhook-timestamp": seconds, "webhook-signature": signatures.join(" ") };
}

// --- internal ---

function goodSecrets(
  { secret, previousSecret, previousSecretUntil }: Pick<Webhook, "secret" | "previousSecret" | "previousSecretUntil">,
  at: number,
): readonly string[] {
  const previous = previousSecret !== null && previousSecretUntil !== null && at < previousSecretUntil;
  return previous ? [secret, previousSecret] : [secret];
}

async function sign(secret: string, text: string): Promise<string> {
  const bytes = Uint8Array.fromBase64(secret.slice(PREFIX.length));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const digest = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return `v1,${new Uint8Array(digest).toBase64()}`;
}
