import type { Secrets } from "../ports/system.ts";

/** The kind of credential. The prefix makes it recognizable for people and secret scanners. */
type SecretPrefix = "vts" | "vtd" | "vtv" | "vtr";

/** 160 random bits: 27 base-62 digits, then six of checksum. */
const RANDOM_BYTES = 20;
const RANDOM_DIGITS = 27;
const CHECKSUM_DIGITS = 6;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const SHAPE = new RegExp(`^(vts|vtd|vtv|vtr)_[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}$`);

/** Returns a new secret, such as `vts_…`. It is shown once; the store has its `sha256`. */
export function newSecret(secrets: Secrets, prefix: SecretPrefix): string {
  const number = secrets.random(RANDOM_BYTES).reduce((total, byte) => (total << 8n) | BigInt(byte), 0n);
  const body = `${prefix}_${base62(number, RANDOM_DIGITS)}`;
  return body + checksum(body);
}

/**
 * Returns the kind of a well-formed secret, or null. The checksum detects typing errors and truncated copies without a
 * lookup; it proves nothing else.
 */
export function secretPrefix(text: string): SecretPrefix | null {
  if (!SHAPE.test(text)) return null;
  const body = text.slice(0, -CHECKSUM_DIGITS);
  return checksum(body) === text.slice(-CHECKSUM_DIGITS) ? (text.slice(0, 3) as SecretPrefix) : null;
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_DIGITS);
}

function base62(number: bigint, digits: number): string {
  let text = "";
  for (let rest = number; text.length < digits; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text;
}

/** CRC-32 as in ISO 3309, of ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
