import { writeFileSync } from "node:fs";
import { acmeAuthority } from "../clients/acme/authority.ts";
import { acmeSettings } from "../clients/acme/settings.ts";
import { type Responder, startResponder } from "../clients/dns/responder.ts";
import { systemTimers } from "../clients/system/timers.ts";
import { fallbackCertificate, localAuthority, rootCertificate } from "../clients/x509/local-ca.ts";
import type { Config } from "../config/settings.ts";
import { type Certificate, LOCAL } from "../domain/certificates/certificate.ts";
import { catchUpWithClaims, wantOwnCertificates, wantRoutedCertificates } from "../domain/certificates/manage.ts";
import { challengeProbe } from "../domain/certificates/probe.ts";
import { type RenewalPorts, renewCertificates } from "../domain/certificates/renew.ts";
import { challengeRecordName, type ServerHosts, wantedByServer, wantedLocally } from "../domain/certificates/wanted.ts";
import type { ClaimPorts } from "../domain/claims/claim-ports.ts";
import type { CertificateAuthority } from "../domain/ports/certificate-authority.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Job } from "../jobs/job.ts";
import { presentCertificatesJob } from "../jobs/present-certificates.ts";
import { renewCertificatesJob } from "../jobs/renew-certificates.ts";
import { migrateRequests } from "../serving/tls/migrate-requests.ts";
import { dataFolder } from "../storage/data-folder/data-folder.ts";
import { baseHostname, loadTlsSet, manualCertificate, tlsRevision, unusableFiles } from "../workers/serve/tls.ts";

interface Ports {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Those of the claims: the same resolvers and the same guard look at the names here. */
  readonly claims: Pick<ClaimPorts, "dns" | "prober" | "secrets" | "timers" | "random">;
}

/** A certificate that is presented. */
export type Presented = Pick<Certificate, "notAfter"> & { readonly name: string };

/** The main thread's part in TLS. */
export interface CertificateKeeping {
  /** The jobs that order, renew and present. `present` makes every listener load its set anew. */
  jobs(present: () => Promise<void>): Job[];
  /** Returns the certificates that every listener took over last, as what was wanted names them. */
  presented(): readonly Presented[];
  stop(): Promise<void>;
}

/**
 * Makes ready what the listeners need to speak TLS before they start, and starts the DNS-01 responder where one is
 * set. Never waits for a CA. Throws with one sentence when a file or an address is unusable.
 */
export async function keepCertificates(config: Config, ports: Ports): Promise<CertificateKeeping> {
  if (!migrateRequests()) ports.log.info("new certificates may reset a few connections: net.ipv4.tcp_migrate_req is 0");
  await fallbackCertificate(ports.store.certificates, ports.clock);
  // Made before anything else, so that an unusable trust root stops the start.
  const authorities = authoritiesOf(config, ports);
  if (config.tls === "internal") await prepareLocally(config, ports);
  // The set is loaded once here, so that what is unusable stops the start and not a thread.
  const loaded = await tlsRevision(config, ports.store);
  await loadTlsSet(config, ports.store);
  let presented = await toPresent(config, ports.store);
  const responder = config.tls === "acme" ? await prepareAcme(config, ports) : null;
  return {
    jobs(present) {
      const presentAndNote = async () => {
        const next = await toPresent(config, ports.store);
        await present();
        presented = next;
      };
      return [...renewalJobs(config, ports, authorities), presentJob(config, ports, loaded, presentAndNote)];
    },
    presented: () => presented,
    async stop() {
      await responder?.close();
    },
  };
}

// --- internal ---

/** Returns what the listeners are to present; what they do may be older. */
async function toPresent(config: Config, { certificates }: Pick<Store, "certificates">): Promise<Presented[]> {
  if (config.tls === "manual") {
    const { names, notAfter } = manualCertificate(config);
    return [{ name: names[0] ?? "", notAfter }];
  }
  const managed = await certificates.list();
  return managed.flatMap(({ identifiers, current }) =>
    current ? [{ name: identifiers[0] ?? "", notAfter: current.notAfter }] : [],
  );
}

/** Signs for the base host at once, and puts the root where people find it. */
async function prepareLocally(config: Config, ports: Ports): Promise<void> {
  const { store, clock, log } = ports;
  await wantOwnCertificates({ store, clock }, wantedLocally(hostsOf(config)));
  const { failed } = await renewCertificates({
    ...renewalPorts(ports, [localAuthority(store.certificates, clock)]),
    lease: null,
  });
  for (const failure of failed) log.warn("no certificate yet", failure);
  const file = dataFolder(config.dataDir).localCa;
  writeFileSync(file, (await rootCertificate(store.certificates, clock)).chain);
  log.info("browsers trust this server once they trust its local CA", { file });
  // Neither OpenSSL nor browsers take `*.localhost`: a wildcard stands below two labels at least.
  if (!config.sitesDomain.includes(".")) {
    const advice = `--sites-domain sites.${config.sitesDomain}`;
    log.warn("clients refuse a wildcard certificate below a single label: give sites a domain", { advice });
  }
}

async function prepareAcme(config: Config, { store, clock, log }: Ports): Promise<Responder | null> {
  await store.acme.sweepChallenges(clock.now());
  const hosts = hostsOf(config);
  const wanted = wantedByServer(hosts);
  await wantOwnCertificates({ store, clock }, wanted);
  await catchUpWithClaims({ store, clock });
  if (config.dnsListen === null) {
    const record = `${challengeRecordName(hosts.sitesDomain)} NS ${hosts.baseHost}`;
    log.warn("sites have no certificate: set --dns-listen, and in DNS the record", { record });
    return null;
  }
  const names = wanted
    .filter((one) => one.challenge === "dns-01")
    .map((one) => challengeRecordName(one.identifiers[0] as string));
  const texts = (name: string) => store.acme.challengeValues("dns-01", name, clock.now());
  const report = (error: unknown) => log.error("the DNS responder", error);
  return startResponder(config.dnsListen, { names, nameserver: hosts.baseHost, texts }, report);
}

function hostsOf(config: Config): ServerHosts {
  const { sitesDomain, dnsListen } = config;
  return { baseHost: baseHostname(config), sitesDomain, wildcard: dnsListen !== null };
}

/** Returns who is asked for certificates, in order of preference; nobody where the files are the operator's. */
function authoritiesOf(config: Config, { store, clock }: Ports): readonly CertificateAuthority[] {
  if (config.tls === "manual") return [];
  if (config.tls === "internal") return [localAuthority(store.certificates, clock)];
  return acmeSettings(config).map((settings) => acmeAuthority(settings, { store: store.acme, clock }));
}

function renewalJobs(config: Config, ports: Ports, authorities: readonly CertificateAuthority[]): Job[] {
  const { store, clock, log } = ports;
  if (config.tls === "manual") return [];
  const isLocal = config.tls === "internal";
  const prepare = isLocal ? whenRoutesChange(store, () => wantRoutedCertificates({ store, clock })) : async () => {};
  return [renewCertificatesJob(renewalPorts(ports, authorities), systemTimers, log, prepare)];
}

/** The local CA signs for whatever is routed; a public one is asked for by the claims themselves. */
function whenRoutesChange(store: Store, action: () => Promise<void>): () => Promise<void> {
  let seen: number | null = null;
  return async () => {
    const generation = store.generation();
    if (generation === seen) return;
    await action();
    seen = generation;
  };
}

function renewalPorts(
  { store, clock, claims }: Ports,
  authorities: readonly CertificateAuthority[],
): Omit<RenewalPorts, "lease"> {
  const isLocal = authorities.every((authority) => authority.directory === LOCAL);
  const probe = isLocal ? { probe: async () => null } : challengeProbe({ ...claims, store, clock });
  return { store, authorities, probe, clock, random: claims.random, pause: () => Bun.sleep(0) };
}

function presentJob(config: Config, { store, log }: Ports, loaded: string, present: () => Promise<void>): Job {
  return presentCertificatesJob({
    loaded,
    wanted: () => tlsRevision(config, store),
    unusable: () => unusableFiles(config),
    async present() {
      // Read first: what is installed while the threads load may be in their sets or not.
      const revision = await store.certificates.revision();
      await present();
      await store.certificates.setLive(revision);
    },
    timers: systemTimers,
    log,
  });
}
