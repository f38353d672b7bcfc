import { existsSync } from "node:fs";
import { bundledPublicSuffixes } from "../clients/dns/public-suffixes.ts";
import { examineClock } from "../clients/doctor/clock.ts";
import { examineHealth, examineKernel, examineNames, examinePort } from "../clients/doctor/network.ts";
import { systemClock } from "../clients/system/clock.ts";
import { systemLookup } from "../clients/system/lookup.ts";
import { sitePolicy } from "../config/policies.ts";
import type { Config } from "../config/settings.ts";
import { messageOf } from "../domain/error-message.ts";
import { examineBackups, examineOperatorWebhook } from "../domain/maintenance/examine-backups.ts";
import { examineManaged, examineProvided, examineWildcard } from "../domain/maintenance/examine-certificates.ts";
import { examineDomains } from "../domain/maintenance/examine-domains.ts";
import { examineGroups, REPORTS_OF_MS } from "../domain/maintenance/examine-groups.ts";
import { examinePasskeys } from "../domain/maintenance/examine-passkeys.ts";
import { examinePublicSites } from "../domain/maintenance/examine-public-sites.ts";
import { type Finding, problem, warning } from "../domain/model/finding.ts";
import type { Store } from "../domain/ports/store.ts";
import {
  examineBucket,
  examineDisk,
  examineFolder,
  examineLocalCa,
  examineLock,
  examineMetadata,
  examineReadable,
  mayEnter,
} from "../storage/data-folder/examine.ts";
import { becomeOwner, dataFolder } from "../storage/folder/data-folder.ts";
import { storageOptions } from "../workers/ports/storage.ts";
import { manualCertificate, serverHosts } from "../workers/serve/tls.ts";

/**
 * Checks everything that may keep the server from working. Changes nothing except the schema of the database, and not
 * even that of a backup. If a full disk prevents opening it, the reserve file is released.
 */
export async function examine(config: Config): Promise<Finding[]> {
  // With the privileges of the calling user, because the service may read files that its user alone cannot.
  const ports = examinePorts(config);
  const manual = config.tls === "manual" ? examineFiles(config) : [];
  becomeOwner(config.dataDir);
  const folder = dataFolder(config.dataDir);
  const findings = [...examineFolder(folder.root), examineDisk(folder.root)];
  findings.push(...(await examineMetadata(folder, config.database, (store) => examineStore(config, store))));
  findings.push(...manual);
  if (config.tls === "manual") findings.push(...examineReadable([config.tlsCert, config.tlsKey]));
  if (config.tls === "acme") findings.push(...examineWildcard(serverHosts(config)));
  findings.push(
    ...examineScheme(config),
    ...examinePasskeys(config),
    ...examineDomains(serverHosts(config), bundledPublicSuffixes()),
  );
  // The lock in the folder shows whether a server runs.
  if (!existsSync(folder.root) || mayEnter(folder.root)) {
    // A running server has its ports. Otherwise they must be free.
    findings.push(...(examineLock(folder, ports) ?? (await examineHealthAlone(config))));
  }
  const { hostname: base } = new URL(config.baseUrl);
  const targets = config.routingTargets.filter(({ type }) => type !== "CNAME").map(({ value }) => value);
  findings.push(...(await examineNames({ base, sitesDomain: config.sitesDomain }, targets, systemLookup)));
  findings.push(...examineKernel(config.tls !== "off"));
  return findings;
}

/** Requests only the server's health, at the URL in the settings. */
export async function examineHealthAlone(config: Config): Promise<Finding[]> {
  return [await examineHealth(config.listen, config.baseUrl, config.tls !== "off")];
}

// --- internal ---

function examinePorts({ listen, httpListen, dnsListen, metricsListen }: Config): Finding[] {
  const listeners = { listen, "http-listen": httpListen, "dns-listen": dnsListen, "metrics-listen": metricsListen };
  return Object.entries(listeners).flatMap(([flag, address]) => (address ? [examinePort(flag, address)] : []));
}

/** Links and the protection of cookies follow the base URL, whatever the listener speaks. */
function examineScheme({ tls, baseUrl }: Config): Finding[] {
  if (tls === "off" || baseUrl.startsWith("https:")) return [];
  const detail = `${baseUrl} is not https:// although TLS is on: links lead to plain HTTP, and cookies are sent there too`;
  return [warning("base URL", detail, `set base-url = "${baseUrl.replace("http:", "https:")}"`)];
}

function examineFiles(config: Config): Finding[] {
  try {
    return examineProvided(config.tlsCert ?? "", manualCertificate(config), serverHosts(config), systemClock.now());
  } catch (error) {
    return [problem("certificate", messageOf(error), "check --tls-cert and --tls-key")];
  }
}

/** Checks that need the metadata: the certificates, and the last recorded time. */
async function examineStore(config: Config, store: Store): Promise<Finding[]> {
  const now = systemClock.now();
  return [
    ...(await examineBucket(store, storageOptions(config).bucket ?? null)),
    ...(await examineCertificates(config, store, now)),
    ...examineBackups(config.backupEvery, await store.backups.list(), now),
    ...examineGroups(config, await store.groups.countReports(now - REPORTS_OF_MS)),
    ...(await examinePublicSites(sitePolicy(config), store.sites, now)),
    ...examineOperatorWebhook(await store.webhooks.findOperators()),
    await examineClock(now, await store.lastChangeAt(), config.tls === "acme" ? config.acmeDirectory : null),
  ];
}

async function examineCertificates(config: Config, { certificates }: Store, now: number): Promise<Finding[]> {
  // Certificates that were managed with other settings are neither presented nor renewed.
  if (config.tls === "off" || config.tls === "manual") return [];
  const managed = examineManaged(await certificates.list(), now);
  return config.tls === "internal" ? [examineLocalCa(dataFolder(config.dataDir)), ...managed] : managed;
}
