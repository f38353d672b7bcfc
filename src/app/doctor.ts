import { existsSync } from "node:fs";
import { examineClock } from "../clients/doctor/clock.ts";
import { examineHealth, examineKernel, examineNames, examinePort, systemLookup } from "../clients/doctor/network.ts";
import { systemClock } from "../clients/system/clock.ts";
import type { Config } from "../config/settings.ts";
import { type Certificate, covers } from "../domain/certificates/certificate.ts";
import { challengeRecordName } from "../domain/certificates/wanted.ts";
import { messageOf } from "../domain/error-message.ts";
import { examineBackups, examineOperatorWebhook } from "../domain/maintenance/examine-backups.ts";
import { type Finding, ok, problem, warning } from "../domain/maintenance/finding.ts";
import type { Store } from "../domain/ports/store.ts";
import { DAY } from "../domain/timestamp.ts";
import { becomeOwner, dataFolder } from "../storage/data-folder/data-folder.ts";
import {
  examineDatabase,
  examineDisk,
  examineFolder,
  examineLock,
  mayEnter,
  mayRead,
} from "../storage/data-folder/examine.ts";
import { baseHostname, manualCertificate } from "../workers/serve/tls.ts";

/** Renewal begins 30 days before the end: less than this means that it has been failing for weeks. */
const RENEWAL_OVERDUE = 14 * DAY;

/**
 * Looks at everything that may keep the server from working, and changes nothing but the schema of the database, and
 * not that of a backup. Where a full disk keeps it shut, the ballast is given up for it.
 */
export async function examine(config: Config): Promise<Finding[]> {
  // As whoever runs this: the service may have a right to them that its user alone has not.
  const ports = examinePorts(config);
  const manual = examineManual(config);
  becomeOwner(config.dataDir);
  const folder = dataFolder(config.dataDir);
  const findings = [...examineFolder(folder.root), examineDisk(folder.root)];
  if (existsSync(folder.database)) {
    findings.push(...(await examineDatabase(folder, (store) => examineStore(config, store))));
  }
  findings.push(...manual, ...examineRights(config), ...examineWildcard(config));
  // The lock in the folder shows whether a server runs.
  if (!existsSync(folder.root) || mayEnter(folder.root)) {
    // A running server has its ports; else they must be free.
    findings.push(...(examineLock(folder, ports) ?? (await examineHealthAlone(config))));
  }
  const { hostname: base } = new URL(config.baseUrl);
  const targets = config.routingTargets.filter(({ type }) => type !== "CNAME").map(({ value }) => value);
  findings.push(...(await examineNames({ base, sitesDomain: config.sitesDomain }, targets, systemLookup)));
  findings.push(...examineKernel(config.tls !== "off"));
  return findings;
}

/** Asks the server for its health alone, over the address that the settings give it. */
export async function examineHealthAlone(config: Config): Promise<Finding[]> {
  return [await examineHealth(config.listen, config.baseUrl, config.tls !== "off")];
}

/** What needs the metadata: the certificates, and the clock that was seen last. */
async function examineStore(config: Config, store: Store): Promise<Finding[]> {
  const reference = config.tls === "acme" ? config.acmeDirectory : null;
  return [
    ...(await examineCertificates(config, store)),
    ...examineBackups(config.backupEvery, await store.backups.list(), systemClock.now()),
    ...examineOperatorWebhook(await store.webhooks.findOperators()),
    await examineClock(systemClock.now(), await store.lastChangeAt(), reference),
  ];
}

async function examineCertificates(config: Config, store: Pick<Store, "certificates">): Promise<Finding[]> {
  // What was managed under another setting is presented to nobody, and renewed by nobody.
  if (config.tls === "off" || config.tls === "manual") return [];
  const managed = await store.certificates.list();
  const findings = managed.map(({ identifiers, current, attempts }) => {
    const [name = ""] = identifiers;
    if (current) return examineEnd(name, current.notAfter, attempts.error);
    const why = attempts.error ?? "it is being issued";
    return warning(
      "certificate",
      `${name} has no certificate yet: ${why}`,
      "check that the name points to this server and that port 80 is open",
    );
  });
  return config.tls === "internal" ? [examineLocalCa(dataFolder(config.dataDir).localCa), ...findings] : findings;
}

/** A public CA signs a wildcard only for whom it finds in DNS, and nothing else is asked for the sites. */
function examineWildcard(config: Config): Finding[] {
  const { tls, dnsListen, sitesDomain } = config;
  if (tls !== "acme" || dnsListen !== null) return [];
  const record = `${challengeRecordName(sitesDomain)} NS ${baseHostname(config)}`;
  const advice = `set dns-listen, and add the DNS record ${record}`;
  return [warning("certificate", `sites under ${sitesDomain} need a wildcard certificate, which takes DNS-01`, advice)];
}

function examineLocalCa(file: string): Finding {
  if (existsSync(file)) return ok("local CA", `browsers and systems trust the sites once they trust its root, ${file}`);
  return warning(
    "local CA",
    "its root certificate is created at the first start",
    "run vitrine serve, then vitrine doctor",
  );
}

function examineManual(config: Config): Finding[] {
  const { tls, tlsCert, baseUrl, sitesDomain } = config;
  if (tls !== "manual") return [];
  let certificate: Certificate;
  try {
    certificate = manualCertificate(config);
  } catch (error) {
    return [problem("certificate", messageOf(error), "check --tls-cert and --tls-key")];
  }
  const wanted = [new URL(baseUrl).hostname, `*.${sitesDomain}`];
  const lacking = wanted.filter((name) => !covers(certificate.names, name));
  const end = examineEnd(tlsCert ?? "", certificate.notAfter, null);
  if (lacking.length === 0) return [end];
  const detail = `${tlsCert} is valid for ${certificate.names.join(", ")}, but not for ${lacking.join(", ")}`;
  return [end, problem("certificate", detail, `get a certificate for ${wanted.join(" and ")}`)];
}

/** As the owner of the data folder, whom the service runs as. */
function examineRights({ tls, tlsCert, tlsKey }: Config): Finding[] {
  if (tls !== "manual") return [];
  const barred = [tlsCert, tlsKey].filter((file) => file !== null && existsSync(file) && !mayRead(file)) as string[];
  return barred.map((file) =>
    warning(
      "certificate",
      `${file} cannot be read by uid ${process.getuid?.()}, the owner of the data folder`,
      "let that user read it, unless the service has its own permission to",
    ),
  );
}

function examineEnd(name: string, notAfter: number, error: string | null): Finding {
  const days = Math.floor((notAfter - systemClock.now()) / DAY);
  const why = error === null ? "" : `: ${error}`;
  if (days < 0) return problem("certificate", `${name} expired ${-days} days ago${why}`, "renew it");
  if (days * DAY < RENEWAL_OVERDUE) return warning("certificate", `${name} expires in ${days} days${why}`, "renew it");
  return ok("certificate", `${name} is valid for ${days} more days`);
}

function examinePorts(config: Config): Finding[] {
  return [
    examinePort("listen", config.listen),
    ...(config.httpListen ? [examinePort("http-listen", config.httpListen)] : []),
    ...(config.dnsListen ? [examinePort("dns-listen", config.dnsListen)] : []),
    ...(config.metricsListen ? [examinePort("metrics-listen", config.metricsListen)] : []),
  ];
}
