import { invalidDigest, isDigest } from "../../domain/deployments/digest.ts";
import { DomainError } from "../../domain/errors.ts";

/** Throws `unavailable` for an invalid digest. */
export function requireDigest(text: string): void {
  if (isDigest(text)) return;
  const cause = new Error(`the digest is ${invalidDigest(text)}`);
  throw new DomainError("unavailable", "the database names content by an invalid digest: run vitrine verify", {
    cause,
  });
}
