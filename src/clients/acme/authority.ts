import { Client, crypto, type Order } from "acme-client";
import type { Certificate, PlacedOrder } from "../../domain/certificates/certificate.ts";
import { messageOf } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import type { CertificateAuthority, CertificateRequest } from "../../domain/ports/certificate-authority.ts";
import { CertificateFailure } from "../../domain/ports/certificate-authority.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { AcmeStore } from "../../domain/ports/store/acme.ts";
import { DAY } from "../../domain/timestamp.ts";
import { readCertificate } from "../x509/read.ts";
import { renewalId } from "../x509/renewal-id.ts";
import { authorize } from "./authorize.ts";
import { settle } from "./poll.ts";
import { renewalInfo, renewalInfoUrl } from "./renewal-info.ts";
import { AcmeProblem, nonsense } from "./transport.ts";

export interface AcmeSettings {
  readonly directory: string;
  readonly email: string | null;
  /** External account binding (RFC 8555 section 7.3.4): the CA's key identifier and its HMAC key in base64url. */
  readonly eab: { readonly kid: string; readonly hmacKey: string } | null;
}

interface Ports {
  readonly store: AcmeStore;
  readonly clock: Clock;
}

/** Returns the ACME CA (RFC 8555) behind a directory. Its account is made at first use and kept in the store. */
export function acmeAuthority(settings: AcmeSettings, ports: Ports): CertificateAuthority {
  const { directory } = settings;
  const { store, clock } = ports;
  const renewalResource = forADay(() => renewalInfoUrl(directory));
  // Orders run side by side: whoever comes first makes the account, and the others wait for it.
  let opening: Promise<Client> | null = null;
  const openClient = () => {
    opening ??= accountClient(settings, store).finally(() => {
      opening = null;
    });
    return opening;
  };
  const obtainNow = async (request: CertificateRequest) =>
    obtain({ client: await openClient(), directory, ports, renewalResource }, request);

  return {
    directory,

    async prepare() {
      await inWords(directory, openClient);
    },

    async obtain(request) {
      return inWords(directory, async () => {
        try {
          return await obtainNow(request);
        } catch (error) {
          if (!(error instanceof AcmeProblem) || error.type !== "accountDoesNotExist") throw error;
          // The CA has forgotten us, as test servers do when they restart: register the same key again.
          await forgetAccountUrl(store, directory);
          return obtainNow(request);
        }
      });
    },

    async renewalInfo(certificate) {
      return inWords(directory, async () => renewalInfo(await renewalResource(), certificate, clock.now()));
    },
  };
}

// --- internal ---

/** What the steps of an order share. */
interface Session {
  readonly client: Client;
  readonly directory: string;
  readonly ports: Ports;
  /** Where the CA answers for renewal information; null where it does not. */
  readonly renewalResource: () => Promise<string | null>;
}

/** Returns a look-up that is made once a day; a failed one is made again the next time. */
function forADay<T>(look: () => Promise<T>): () => Promise<T> {
  let last: { readonly found: T; readonly at: number } | null = null;
  return async () => {
    if (last === null || performance.now() - last.at >= DAY) last = { found: await look(), at: performance.now() };
    return last.found;
  };
}

/**
 * Lets every failure leave as a CertificateFailure of this CA, but those of our own store; acme-client's own errors mean
 * an answer without sense.
 */
async function inWords<T>(directory: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const failure = error instanceof CertificateFailure ? error.failure : nonsense(directory).failure;
    const detail = error instanceof CertificateFailure ? "" : `: ${messageOf(error).slice(0, 200)}`;
    throw new CertificateFailure({ ...failure, error: failure.error + detail, authority: directory });
  }
}

async function accountClient(settings: AcmeSettings, store: AcmeStore): Promise<Client> {
  const { directory, email, eab } = settings;
  const known = await store.account(directory);
  const key = known?.key ?? (await crypto.createPrivateEcdsaKey()).toString();
  if (!known) await store.saveAccount({ directory, key, url: null });
  const client = new Client({
    directoryUrl: directory,
    accountKey: key,
    ...(known?.url ? { accountUrl: known.url } : {}),
    ...(eab ? { externalAccountBinding: eab } : {}),
  });
  if (known?.url) return client;
  await client.createAccount({ termsOfServiceAgreed: true, ...(email ? { contact: [`mailto:${email}`] } : {}) });
  await store.saveAccount({ directory, key, url: client.getAccountUrl() });
  return client;
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
  const chain = await client.getCertificate(valid);
  const certificate = { ...readCertificate(chain, key, directory), renewalId: renewalId(chain) };
  const missing = request.identifiers.find((name) => !certificate.names.includes(name));
  if (missing) throw new AcmeProblem("refused", `the CA left ${missing} out of the certificate`);
  return certificate;
}

/** How CAs answer for an order they have dropped, or that was another account's. */
const GONE = [403, 404, 410];

interface OpenOrder {
  readonly order: Order;
  readonly key: string;
}

/** Returns the order that was placed before, where the CA still knows it and has not judged it. */
async function resume(client: Client, pending: PlacedOrder | null): Promise<OpenOrder | null> {
  if (pending === null) return null;
  try {
    const order = await client.getOrder({ url: pending.url } as Order);
    return order.status === "invalid" ? null : { order, key: pending.key };
  } catch (error) {
    if (error instanceof AcmeProblem && GONE.includes(error.status)) return null;
    throw error;
  }
}

async function place(session: Session, request: CertificateRequest): Promise<OpenOrder> {
  const key = (await crypto.createPrivateEcdsaKey()).toString();
  const identifiers = request.identifiers.map((value) => ({ type: "dns", value }));
  const order = await createOrder(session, identifiers, request.replaces);
  await request.placed({ authority: session.directory, url: order.url, key });
  return { order, key };
}

async function createOrder(
  { client, renewalResource }: Session,
  identifiers: { type: string; value: string }[],
  replaces: string | null,
): Promise<Order> {
  if (replaces === null || (await renewalResource()) === null) return client.createOrder({ identifiers });
  try {
    // RFC 9773 section 5; acme-client passes the field on, though its types do not know it.
    const order = { identifiers, replaces };
    return await client.createOrder(order);
  } catch (error) {
    // The CA does not know the predecessor, or saw it replaced: an ordinary order is as good.
    const mind = error instanceof AcmeProblem && error.failure.kind === "refused" && error.failure.retryAfter === null;
    if (!mind || error.type === "accountDoesNotExist") throw error;
    return client.createOrder({ identifiers });
  }
}

/** Hands in the request for the certificate (RFC 8555 section 7.4) unless that was done before, and waits for it. */
async function finalize(client: Client, placed: Order, identifiers: readonly string[], key: string): Promise<Order> {
  const judged = await settle(() => client.getOrder(placed), ["pending"], "the order");
  if (judged.status === "ready") {
    const [, csr] = await crypto.createCsr({ altNames: [...identifiers] }, key);
    await client.finalizeOrder(judged, csr);
  }
  const order = await settle(() => client.getOrder(placed), ["pending", "ready", "processing"], "the order");
  if (order.status !== "valid") throw new AcmeProblem("refused", `the CA did not sign: ${describeError(order.error)}`);
  return order;
}

function describeError(error: object | undefined): string {
  const detail = (error as { detail?: unknown } | undefined)?.detail;
  return typeof detail === "string" ? detail.slice(0, 500) : "it gave no reason";
}
