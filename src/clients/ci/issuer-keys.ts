import { type CompactVerifyGetKey, createLocalJWKSet, errors, type JSONWebKeySet } from "jose";
import { DomainError } from "../../domain/errors.ts";
import { MINUTE, SECOND } from "../../domain/timestamp.ts";
import { FetchFailure, fetchJson } from "../http/fetch-json.ts";

export interface IssuerKeysOptions {
  /** The milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Milliseconds after which an issuer counts as not responding. */
  readonly timeout: number;
}

/** Maximum age of the keys, so that a withdrawn key is no longer accepted. */
const FRESH_MS = 10 * MINUTE;
/** Maximum age of the keys while the issuer does not respond. */
const MAX_STALE_MS = 60 * MINUTE;
/** Minimum interval between fetches: anybody can send tokens with unknown keys. */
const MIN_FETCH_INTERVAL_MS = 30 * SECOND;
/** More keys than any issuer has. */
const MAX_KEYS = 100;

interface FetchedKeys {
  readonly find: CompactVerifyGetKey;
  readonly at: number;
}

/**
 * Returns a look-up for the key of a signature among an issuer's keys, which rotate: they are fetched again for an
 * unknown key, unless they just were. Throws `JWKSNoMatchingKey` if it is unknown, and `unavailable` while the issuer
 * does not respond.
 */
export function issuerKeys(issuer: string, { now, timeout }: IssuerKeysOptions): CompactVerifyGetKey {
  let known: FetchedKeys | null = null;
  let failure: FetchFailure | null = null;
  let mayFetchAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | null = null;

  const fetchOnce = async () => {
    const at = now();
    mayFetchAt = at + MIN_FETCH_INTERVAL_MS;
    try {
      known = { find: await fetchKeys(issuer, timeout), at };
      failure = null;
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      failure = error;
    } finally {
      fetching = null;
    }
  };

  /** Returns the keys of the running fetch, of a new one, or of the last one if it is too early for another. */
  const newestKeys = async (): Promise<FetchedKeys> => {
    if (now() >= mayFetchAt) fetching ??= fetchOnce();
    await fetching;
    if (known !== null && failure === null) return known;
    const what = failure?.what ?? "did not answer";
    const retryAfter = Math.max(1, Math.ceil((mayFetchAt - now()) / SECOND));
    throw new DomainError("unavailable", `the ID token cannot be checked: ${issuer} ${what}`, { retryAfter });
  };

  /** Uses stale keys while the issuer does not respond. */
  const freshKeys = async (): Promise<FetchedKeys> => {
    const old = known;
    if (old && now() - old.at < FRESH_MS) return old;
    return newestKeys().catch((error) => {
      if (old && now() - old.at < MAX_STALE_MS) return old;
      throw error;
    });
  };

  return async (header, token) => {
    const keys = await freshKeys();
    try {
      return await keys.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return (await newestKeys()).find(header, token);
    }
  };
}

// --- internal ---

async function fetchKeys(issuer: string, timeout: number): Promise<CompactVerifyGetKey> {
  const signal = AbortSignal.timeout(timeout);
  const discovery = await fetchJson(`${issuer}/.well-known/openid-configuration`, { signal });
  const { body } = await fetchJson(keysUrl(issuer, discovery.body.jwks_uri), { signal });
  const { keys } = body;
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new FetchFailure("gave no set of keys");
  try {
    return createLocalJWKSet({ keys } as JSONWebKeySet);
  } catch {
    throw new FetchFailure("gave no set of keys");
  }
}

/** Plain HTTP only if the operator's setting of the issuer has it. */
function keysUrl(issuer: string, told: unknown): string {
  const url = typeof told === "string" ? URL.parse(told) : null;
  const isSafe = url?.protocol === "https:" || url?.protocol === new URL(issuer).protocol;
  if (url === null || !isSafe) throw new FetchFailure("does not say where its keys are");
  return url.href;
}
