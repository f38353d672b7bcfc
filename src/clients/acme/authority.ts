import { messageOf } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import type { Certificate, PlacedOrder, RenewalInfo } from "../../domain/model/certificate.ts";
import {
  type CertificateAuthority,
  CertificateFailure,
  type CertificateRequest,
} from "../../domain/ports/certificate-authority.ts";
import type { AcmeStore } from "../../domain/ports/store/acme.ts";
import type { Clock } from "../../domain/ports/system.ts";
import { sharedRun } from "../../domain/shared-run.ts";
import { DAY, HOUR } from "../../domain/timestamp.ts";
import { exportPrivateKey, generateKeyPair, renewalId, signingRequest } from "../x509/keys.ts";
import { readCertificate } from "../x509/read.ts";
import { authorize, pollUntilSettled } from "./authorize.ts";
import { type AccountBinding, AcmeClient, type AcmeOrder } from "./client.ts";
import { type AcmeFetch, AcmeProblem, acmeFetch, detailOf, fetchJson, malformedResponse } from "./transport.ts";

export interface AcmeSettings {
  readonly directory: string;
  readonly email: string | null;
  readonly eab: AccountBinding | null;
  /** An additional trust root in PEM form, for connections to the CA. */
  readonly trustRoot: string | null;
}

interface Ports {
  readonly store: AcmeStore;
  readonly clock: Clock;
}

/** Returns the ACME CA (RFC 8555) of a directory. Its account is created at first use and stored. */
export function acmeAuthority(settings: AcmeSettings, ports: Ports): CertificateAuthority {
  const { directory } = settings;
  const { store, clock } = ports;
  const fetch = acmeFetch(settings.trustRoot);
  const renewalResource = onceADay(() => renewalInfoUrl(fetch, directory));
  // Orders run concurrently: the first one creates the account, and the others wait for it.
  const openClient = sharedRun(() => accountClient(settings, fetch, store));
  const obtainNow = async (request: CertificateRequest) =>
    obtain({ client: await openClient(), directory, ports, renewalResource }, request);

  return {
    directory,

    async prepare() {
      await withAcmeErrors(directory, openClient);
    },

    async obtain(request) {
      return withAcmeErrors(directory, async () => {
        try {
          return await obtainNow(request);
        } catch (error) {
          if (!(error instanceof AcmeProblem) || error.type !== "accountDoesNotExist") throw error;
          // The CA lost the account, as test servers do when they restart: register the same key again.
          await forgetAccountUrl(store, directory);
          return obtainNow(request);
        }
      });
    },

    async renewalInfo(certificate) {
      const find = async () => renewalInfo(fetch, await renewalResource(), certificate, clock.now());
      return withAcmeErrors(directory, find);
    },
  };
}

// --- internal ---

/** Context of the steps of an order. */
interface Session {
  readonly client: AcmeClient;
  readonly directory: string;
  readonly ports: Ports;
  /** The CA's renewal information URL; null if it has none. */
  readonly renewalResource: () => Promise<string | null>;
}

/** Caches the result of a look-up for a day. Failures are not cached. */
function onceADay<T>(look: () => Promise<T>): () => Promise<T> {
  let last: { readonly found: T; readonly at: number } | null = null;
  return async () => {
    if (last === null || performance.now() - last.at >= DAY) last = { found: await look(), at: performance.now() };
    return last.found;
  };
}

/** Converts errors, except those of the store, to a CertificateFailure of this CA. */
async function withAcmeErrors<T>(directory: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const failure = error instanceof CertificateFailure ? error.failure : malformedResponse(directory).failure;
    const detail = error instanceof CertificateFailure ? "" : `: ${messageOf(error).slice(0, 200)}`;
    throw new CertificateFailure({ ...failure, error: failure.error + detail, authority: directory });
  }
}

async function accountClient(settings: AcmeSettings, fetch: AcmeFetch, store: AcmeStore): Promise<AcmeClient> {
  const { directory, email, eab } = settings;
  const known = await store.account(directory);
  const key = known?.key ?? (await newKey());
  if (!known) await store.saveAccount({ directory, key, url: null });
  const client = await AcmeClient.open({ directory, accountKey: key, accountUrl: known?.url ?? null }, fetch);
  if (known?.url) return client;
  await store.saveAccount({ directory, key, url: await client.createAccount(email, eab) });
  return client;
}

async function newKey(): Promise<string> {
  return exportPrivateKey(await generateKeyPair());
}

async function forgetAccountUrl(store: AcmeStore, directory: string): Promise<void> {
  const account = await store.account(directory);
  if (account) await store.saveAccount({ ...account, url: null });
}

async function obtain(session: Session, request: CertificateRequest): Promise<Certificate> {
  const { client, directory, ports } = session;
  const { order, key } = (await resume(client, request.pending)) ?? (await place(session, request));
  if (order.status === "pending") await authorize(client, order, request.challenge, ports);
  const valid = await finalize(client, order, request.identifiers, key);
  const chain = await client.certificate(valid);
  const certificate = { ...readCertificate(chain, key, directory), renewalId: renewalId(chain) };
  const missing = request.identifiers.find((name) => !certificate.names.includes(name));
  if (missing) throw new AcmeProblem("refused", `the CA left ${missing} out of the certificate`);
  return certificate;
}

/** Statuses for an order that the CA deleted, or that belongs to another account. */
const GONE_STATUSES = [403, 404, 410];

interface OpenOrder {
  readonly order: AcmeOrder;
  readonly key: string;
}

/** Returns the pending order, if the CA still knows it and has not rejected it. */
async function resume(client: AcmeClient, pending: PlacedOrder | null): Promise<OpenOrder | null> {
  if (pending === null) return null;
  try {
    const order = await client.order(pending.url);
    return order.status === "invalid" ? null : { order, key: pending.key };
  } catch (error) {
    if (error instanceof AcmeProblem && GONE_STATUSES.includes(error.status)) return null;
    throw error;
  }
}

async function place(session: Session, request: CertificateRequest): Promise<OpenOrder> {
  const key = await newKey();
  const order = await createOrder(session, request.identifiers, request.replaces);
  await request.placed({ authority: session.directory, url: order.url, key });
  return { order, key };
}

async function createOrder(
  { client, renewalResource }: Session,
  names: readonly string[],
  replaces: string | null,
): Promise<AcmeOrder> {
  if (replaces === null || (await renewalResource()) === null) return client.createOrder(names, null);
  try {
    return await client.createOrder(names, replaces);
  } catch (error) {
    // The CA does not know the predecessor, or it was replaced already: place an order without `replaces`.
    const refused = error instanceof AcmeProblem && error.failure.kind === "refused";
    if (!refused || error.failure.retryAfter !== null || error.type === "accountDoesNotExist") throw error;
    return client.createOrder(names, null);
  }
}

/** Finalizes the order (RFC 8555 section 7.4) unless that was done before, and waits for the certificate. */
async function finalize(
  client: AcmeClient,
  { url }: AcmeOrder,
  names: readonly string[],
  key: string,
): Promise<AcmeOrder> {
  const decided = await pollUntilSettled(() => client.order(url), ["pending"], "the order");
  if (decided.status === "ready") await client.finalize(decided, await signingRequest(names, key));
  const order = await pollUntilSettled(() => client.order(url), ["pending", "ready", "processing"], "the order");
  if (order.status !== "valid")
    throw new AcmeProblem("refused", `the CA did not sign: ${detailOf(order.error) ?? "it gave no reason"}`);
  return order;
}

/** Default interval; the CA's own is limited to between an hour and a day (RFC 9773 section 4.3.2). */
const DEFAULT_INTERVAL_MS = 6 * HOUR;

/** Returns the CA's renewal information; without a window if it offers none. */
async function renewalInfo(
  fetch: AcmeFetch,
  resource: string | null,
  certificate: Certificate,
  now: number,
): Promise<RenewalInfo> {
  if (resource === null || certificate.renewalId === null) return { window: null, nextLookAt: now + DAY };
  const { body, retryAfter } = await fetchJson(fetch, `${resource}/${certificate.renewalId}`);
  const interval = Math.min(Math.max(retryAfter ?? DEFAULT_INTERVAL_MS, HOUR), DAY);
  return { window: windowOf(body.suggestedWindow), nextLookAt: now + interval };
}

/** Returns the renewal information URL in the CA's directory; null if it supports neither that nor `replaces`. */
async function renewalInfoUrl(fetch: AcmeFetch, directory: string): Promise<string | null> {
  const { renewalInfo: url } = (await fetchJson(fetch, directory)).body;
  return typeof url === "string" && URL.canParse(url) ? url.replace(/\/$/, "") : null;
}

function windowOf(value: unknown): RenewalInfo["window"] {
  const { start, end } = (value ?? {}) as { start?: unknown; end?: unknown };
  const window = { start: Date.parse(String(start)), end: Date.parse(String(end)) };
  return Number.isNaN(window.start) || Number.isNaN(window.end) ? null : window;
}
