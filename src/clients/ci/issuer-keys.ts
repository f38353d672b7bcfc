import { type CompactVerifyGetKey, createLocalJWKSet, errors, type JSONWebKeySet } from "jose";
import { DomainError } from "../../domain/errors.ts";
import { MINUTE, SECOND } from "../../domain/timestamp.ts";
import { FetchFailure, fetchJson } from "../http/fetch-json.ts";

export interface IssuerKeysOptions {
  /** The milliseconds of a clock that is never set. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Milliseconds after which an issuer counts as not responding. */
  readonly timeout: number;
}

/** Maximum age of the keys, so that a withdrawn key is no longer accepted. */
const FRESH_MS = 10 * MINUTE;
/** Maximum age of the keys while the issuer does not respond. */
const MAX_STALE_MS = 60 * MINUTE;
/** Minimum interval between fetches because of unknown keys. */
const MIN_FETCH_INTERVAL_MS = 3 * SECOND;
/** More keys than any issuer has. */
const MAX_KEYS = 100;

interface FetchedKeys {
  readonly find: CompactVerifyGetKey;
  readonly at: number;
  /** The number of the fetch, counted from 1. */
  readonly fetch: number;
}

/**
 * Returns a look-up for the key of a signature among an issuer's keys, which rotate: for an unknown key it uses a
 * set that was fetched after the token arrived. Throws `JWKSNoMatchingKey` if it is unknown, and `unavailable`
 * while the issuer does not respond.
 */
export function issuerKeys(issuer: string, { now, sleep, timeout }: IssuerKeysOptions): CompactVerifyGetKey {
  let known: FetchedKeys | null = null;
  let failure: DomainError | null = null;
  let fetches = 0;
  let lastFetchAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | null = null;

  const fetchOnce = async () => {
    const [fetch, at] = [++fetches, now()];
    lastFetchAt = at;
    try {
      known = { find: await fetchKeys(issuer, timeout), at, fetch };
      failure = null;
    } catch (error) {
      failure = silent(issuer, error);
    } finally {
      fetching = null;
    }
  };

  /** Resolves with the keys of a later fetch than that one; joins a running fetch, or starts one if allowed. */
  const fetchAfter = async (fetch: number): Promise<FetchedKeys> => {
    while (known === null || known.fetch <= fetch) {
      const wait = lastFetchAt + MIN_FETCH_INTERVAL_MS - now();
      if (fetching === null && wait > 0) {
        if (failure) throw failure;
        await sleep(wait);
      }
      fetching ??= fetchOnce();
      await fetching;
      if (failure && fetches > fetch) throw failure;
    }
    return known;
  };

  /** Uses stale keys while the issuer does not respond. */
  const freshKeys = async (): Promise<FetchedKeys> => {
    const old = known;
    if (old && now() - old.at < FRESH_MS) return old;
    return fetchAfter(old?.fetch ?? 0).catch((error) => {
      if (old && now() - old.at < MAX_STALE_MS) return old;
      throw error;
    });
  };

  return async (header, token) => {
    const begun = fetches;
    const keys = await freshKeys();
    try {
      return await keys.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || keys.fetch > begun) throw error;
      return (await fetchAfter(begun)).find(header, token);
    }
  };
}

// --- internal ---

async function fetchKeys(issuer: string, timeout: number): Promise<CompactVerifyGetKey> {
  const signal = AbortSignal.timeout(timeout);
  const discovery = await fetchJson(`${issuer}/.well-known/openid-configuration`, { signal });
  const { body } = await fetchJson(keysAddress(issuer, discovery.body.jwks_uri), { signal });
  const { keys } = body;
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new FetchFailure("gave no set of keys");
  try {
    return createLocalJWKSet({ keys } as JSONWebKeySet);
  } catch {
    throw new FetchFailure("gave no set of keys");
  }
}

/** Plain HTTP only if the operator's setting of the issuer has it. */
function keysAddress(issuer: string, address: unknown): string {
  const url = typeof address === "string" ? URL.parse(address) : null;
  const isSafe = url?.protocol === "https:" || url?.protocol === new URL(issuer).protocol;
  if (url === null || !isSafe) throw new FetchFailure("does not say where its keys are");
  return url.href;
}

function silent(issuer: string, error: unknown): DomainError {
  if (!(error instanceof FetchFailure)) throw error;
  const retryAfter = MIN_FETCH_INTERVAL_MS / SECOND;
  return new DomainError("unavailable", `the ID token cannot be checked: ${issuer} ${error.what}`, { retryAfter });
}
