import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import { type Finding, ok, problem, warning } from "../../domain/model/finding.ts";

interface Address {
  readonly host: string | null;
  readonly port: number;
}

/** Tries to listen like the server. Only if no server runs, which would occupy the port itself. */
export function examinePort(setting: string, { host, port }: Address): Finding {
  const address = `${host ?? "*"}:${port}`;
  try {
    Bun.listen({ hostname: host ?? "::", port, exclusive: true, socket: { data() {} } }).stop(true);
    return ok("port", `${address} (--${setting}) is free`);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EACCES" || code === "EPERM") {
      return problem(
        "port",
        `${address} (--${setting}) cannot be opened by this user`,
        "give the service CAP_NET_BIND_SERVICE, as the unit of install.sh does",
      );
    }
    const advice =
      code === "EADDRINUSE" ? `see which program listens there: ss -ltnp 'sport = :${port}'` : `check --${setting}`;
    return problem("port", `${address} (--${setting}) cannot be opened: ${messageOf(error)}`, advice);
  }
}

/** Requests the running server's health at its listen address with the host of its base URL. */
export async function examineHealth({ host, port }: Address, baseUrl: string, encrypted: boolean): Promise<Finding> {
  const local =
    host === null || host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  const url = `${encrypted ? "https" : "http"}://${local}:${port}/health`;
  const base = new URL(baseUrl);
  const address = isIP(base.hostname.replace(/^\[|\]$/g, "")) !== 0;
  try {
    const response = await fetch(url, {
      headers: { Host: base.host },
      tls: { rejectUnauthorized: false, ...(address ? {} : { serverName: base.hostname }) },
      proxy: false,
      redirect: "manual",
      signal: AbortSignal.timeout(5000),
    });
    const { detail } = (await response.json()) as { detail?: string };
    if (response.status === 200) return ok("server", `is running and healthy at ${url}`);
    return problem("server", `answers ${response.status}: ${detail ?? "no detail"}`, "check its log");
  } catch (error) {
    const reason = errorCode(error) === "ECONNREFUSED" ? "connection refused" : messageOf(error);
    return problem(
      "server",
      `does not answer at ${url}: ${reason}`,
      "check whether it runs, and its log; doctor knows the address only from variables and the settings file",
    );
  }
}

/**
 * Looks up the base URL and a name below the sites domain: both must resolve to this machine, and no two names
 * below the sites domain may differ. Names below localhost need no DNS.
 */
export async function examineNames(
  names: { readonly base: string; readonly sitesDomain: string },
  expected: readonly string[],
  lookup: (name: string) => Promise<readonly string[]>,
): Promise<Finding[]> {
  const anySite = `doctor-${crypto.randomUUID().slice(0, 8)}.${names.sitesDomain}`;
  return Promise.all([
    examineName(names.base, expected, lookup, ""),
    examineName(anySite, expected, lookup, `*.${names.sitesDomain}`),
  ]);
}

/** Checks the kernel settings for rotating certificates without losing connections. */
export function examineKernel(encrypted: boolean): Finding[] {
  if (process.platform !== "linux" || !encrypted) return [];
  const value = readSysctl("/proc/sys/net/ipv4/tcp_migrate_req");
  if (value === null || value === "1") return [ok("kernel", "connections survive certificate changes")];
  return [
    warning(
      "kernel",
      "net.ipv4.tcp_migrate_req is 0: a few connections are reset when certificates change",
      "run sysctl -w net.ipv4.tcp_migrate_req=1, and put the setting into /etc/sysctl.d/vitrine.conf",
    ),
  ];
}

// --- internal ---

async function examineName(
  name: string,
  expected: readonly string[],
  lookup: (name: string) => Promise<readonly string[]>,
  record: string,
): Promise<Finding> {
  const shown = record || name;
  if (/(^|\.)localhost$/.test(name) || /^[\d.]+$|:/.test(name)) return ok("DNS", `${shown} needs no DNS`);
  const set = `set an A or AAAA record for ${shown}`;
  let found: readonly string[];
  try {
    found = await lookup(name);
  } catch (error) {
    return problem("DNS", `${shown} does not resolve: ${messageOf(error)}`, set);
  }
  if (expected.length > 0 && !found.some((address) => expected.includes(address))) {
    return warning(
      "DNS",
      `${shown} resolves to ${found.join(", ")}, none of which is a routing target`,
      `${set} to ${expected.join(" or ")}, unless it is behind a proxy`,
    );
  }
  return ok("DNS", `${shown} resolves to ${found.join(", ")}`);
}

function readSysctl(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}
