import type { Database } from "bun:sqlite";
import type { AcmeStore } from "../../domain/ports/store/acme.ts";

/**
 * Returns the `challengeValues` of a connection. Anybody can cause it: it runs for every request below
 * /.well-known/acme-challenge/ and for every DNS query.
 */
export function challengeReader(raw: Database): AcmeStore["challengeValues"] {
  const values = raw.prepare<{ value: string }, [string, string, number]>(
    "SELECT value FROM acme_challenges WHERE type = ? AND name = ? AND expires_at > ?",
  );
  return (type, name, now) => values.all(type, name, now).map((row) => row.value);
}
