import { isDigest, notDigest } from "../../domain/deployments/digest.ts";
import { DomainError } from "../../domain/errors.ts";

/** Throws `unavailable` for an invalid digest. */
export function requireDigest(text: string): void {
  if (isDigest(text)) return;
  const cause = new Error(`it was asked for ${notDigest(text)}`);
  throw new DomainError("unavailable", "the content store was asked for what is no digest: run vitrine verify", {
    cause,
  });
}
