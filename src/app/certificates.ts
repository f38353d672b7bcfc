import { writeFileSync } from "node:fs";
import { acmeAuthority } from "../clients/acme/authority.ts";
import { acmeSettings } from "../clients/acme/settings.ts";
import { type Responder, startResponder } from "../clients/dns/responder.ts";
import { systemTimers } from "../clients/system/timers.ts";
import { fallbackCertificate, localAuthority, rootCertificate } from "../clients/x509/local-ca.ts";
import type { Config } from "../config/settings.ts";
import { presentCurrent } from "../domain/certificates/manage.ts";
import { acceptsWildcard, issueOwnLocally, requestOwn } from "../domain/certificates/own-certificates.ts";
import { challengeProbe } from "../domain/certificates/probe.ts";
import type { RenewalPorts } from "../domain/certificates/renew.ts";
import { challengeRecordName } from "../domain/certificates/wanted.ts";
import type { ClaimPorts } from "../domain/claims/claim-ports.ts";
import { LOCAL, type PresentedCertificate } from "../domain/model/certificate.ts";
import type { CertificateAuthority } from "../domain/ports/certificate-authority.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock, Log } from "../domain/ports/system.ts";
import type { Job } from "../jobs/job.ts";
import { presentCertificatesJob } from "../jobs/present-certificates.ts";
import { renewCertificatesJob, requestRouted } from "../jobs/renew-certificates.ts";
import { migrateRequests } from "../serving/tls/migrate-requests.ts";
import { dataFolder } from "../storage/folder/data-folder.ts";
import { loadTlsSet, presentableCertificates, serverHosts, tlsRevision, unusableFiles } from "../workers/serve/tls.ts";

interface Ports {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Dependencies of the claims, because the same resolvers and guard check names here. */
  readonly claims: Pick<ClaimPorts, "dns" | "prober" | "secrets" | "timers" | "random">;
}

/** The main thread's part in TLS. */
export interface CertificateKeeping {
  /** The jobs that order, renew and present. `present` makes every listener load its set again. */
  jobs(present: () => Promise<void>): Job[];
  /** Returns the certificates that every listener presents, by the names they were requested for. */
  presented(): readonly PresentedCertificate[];
  stop(): Promise<void>;
}

/**
 * Prepares what the listeners need for TLS before they start, and starts the DNS-01 responder if configured. Never
 * waits for a CA. Throws with one sentence if a file or an address is unusable.
 */
export async function keepCertificates(config: Config, ports: Ports): Promise<CertificateKeeping> {
  const { store, clock, log } = ports;
  if (!migrateRequests()) log.info("new certificates may reset a few connections: net.ipv4.tcp_migrate_req is 0");
  await fallbackCertificate(store.certificates, clock);
  // Created first, so that an unusable trust root stops the start.
  const authorities = authoritiesOf(config, ports);
  if (config.tls === "internal") await prepareLocally(config, ports, authorities);
  // Loaded here once, so that unusable certificates stop the start and not a thread.
  const loaded = await tlsRevision(config, store);
  await loadTlsSet(config, store);
  let presented = await presentableCertificates(config, store);
  const responder = config.tls === "acme" ? await prepareAcme(config, ports) : null;
  const presentThrough = (listeners: () => Promise<void>) => async () => {
    const next = await presentableCertificates(config, store);
    await presentCurrent({ store }, listeners);
    presented = next;
  };
  return {
    jobs(listeners) {
      const present = presentThrough(listeners);
      const wanted = () => tlsRevision(config, store);
      const unusable = () => unusableFiles(config);
      return [
        ...renewalJobs(config, ports, authorities),
        presentCertificatesJob({ loaded, wanted, unusable, present, timers: systemTimers, log }),
      ];
    },
    presented: () => presented,
    async stop() {
      await responder?.close();
    },
  };
}

// --- internal ---

/** Returns the CAs in order of preference; none if the operator provides the files. */
function authoritiesOf(config: Config, { store, clock }: Ports): readonly CertificateAuthority[] {
  if (config.tls === "manual") return [];
  if (config.tls === "internal") return [localAuthority(store.certificates, clock)];
  return acmeSettings(config).map((settings) => acmeAuthority(settings, { store: store.acme, clock }));
}

/** Issues a certificate for the base host at once, and writes the root certificate to the data folder. */
async function prepareLocally(config: Config, ports: Ports, authorities: readonly CertificateAuthority[]) {
  const { store, clock, log } = ports;
  const hosts = serverHosts(config);
  const failed = await issueOwnLocally({ ...renewalPorts(ports, authorities), store, lease: null }, hosts);
  for (const failure of failed) log.warn("no certificate yet", failure);
  const file = dataFolder(config.dataDir).localCa;
  writeFileSync(file, (await rootCertificate(store.certificates, clock)).chain);
  log.info("browsers trust this server once they trust its local CA", { file });
  if (acceptsWildcard(hosts.sitesDomain)) return;
  const advice = `--sites-domain sites.${hosts.sitesDomain}`;
  log.warn("clients refuse a wildcard certificate below a single label: give sites a domain", { advice });
}

async function prepareAcme(config: Config, { store, clock, log }: Ports): Promise<Responder | null> {
  const { baseHost, sitesDomain } = serverHosts(config);
  const names = await requestOwn({ store, clock }, serverHosts(config));
  if (config.dnsListen === null) {
    const record = `${challengeRecordName(sitesDomain)} NS ${baseHost}`;
    log.warn("sites have no certificate: set --dns-listen, and in DNS the record", { record });
    return null;
  }
  const texts = (name: string) => store.acme.challengeValues("dns-01", name, clock.now());
  const report = (error: unknown) => log.error("the DNS responder", error);
  return startResponder(config.dnsListen, { names, nameserver: baseHost, texts }, report);
}

function renewalJobs(config: Config, ports: Ports, authorities: readonly CertificateAuthority[]): Job[] {
  if (config.tls === "manual") return [];
  const prepare = config.tls === "internal" ? requestRouted(ports) : undefined;
  return [renewCertificatesJob(renewalPorts(ports, authorities), systemTimers, ports.log, prepare)];
}

function renewalPorts(
  { store, clock, claims }: Ports,
  authorities: readonly CertificateAuthority[],
): Omit<RenewalPorts, "lease"> {
  const isLocal = authorities.every((authority) => authority.directory === LOCAL);
  const probe = isLocal ? { probe: async () => null } : challengeProbe({ ...claims, store, clock });
  return { store, authorities, probe, clock, random: claims.random, pause: () => Bun.sleep(0) };
}
