import { acmeSettings } from "../../clients/acme/settings.ts";
import { resolverDns, systemResolvers } from "../../clients/dns/lookup.ts";
import { canonicalAddress } from "../../clients/dns/message.ts";
import { bundledPublicSuffixes } from "../../clients/dns/public-suffixes.ts";
import { socketProber } from "../../clients/edge/prober.ts";
import { edgeRanges } from "../../clients/edge/ranges.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { systemTimers } from "../../clients/system/timers.ts";
import { ratesInForce } from "../../config/policies.ts";
import type { Config } from "../../config/settings.ts";
import { noCertificates, orderedCertificates } from "../../domain/certificates/manage.ts";
import type { ClaimPorts } from "../../domain/claims/claim-ports.ts";
import type { RoutingTarget } from "../../domain/claims/observation.ts";
import type { Store } from "../../domain/ports/store.ts";
import type { Clock } from "../../domain/ports/system.ts";

interface Parts {
  /** The holder of leases. */
  readonly node: string;
  readonly store: Store;
  readonly clock: Clock;
}

/** Connects the use cases of claims to their implementations, according to the settings. */
export function claimPorts(config: Config, { node, store, clock }: Parts): ClaimPorts {
  const { dnsResolvers, proxyRanges, probePorts, allowPrivateProbes, tls } = config;
  const directories = acmeSettings(config).map((settings) => settings.directory);
  return {
    node,
    store,
    // The system's resolvers are read each time, because they change when a machine moves or its network starts late.
    dns: resolverDns(() => (dnsResolvers.length > 0 ? dnsResolvers : systemResolvers())),
    edge: edgeRanges(proxyRanges),
    prober: socketProber({ ports: probePorts, allowPrivate: allowPrivateProbes }),
    certificates:
      tls === "acme" ? orderedCertificates({ store, clock }, directories) : noCertificates({ store, clock }),
    suffixes: bundledPublicSuffixes(),
    secrets: systemSecrets,
    clock,
    timers: systemTimers,
    random: Math.random,
    rates: ratesInForce(config),
    domains: {
      on: config.domains,
      targets: config.routingTargets.map(canonicalTarget),
      tls,
      own: { baseHost: new URL(config.baseUrl).hostname, sitesDomain: config.sitesDomain },
      mostPending: config.maxPendingClaims,
    },
  };
}

/** Addresses are compared as text, and IPv6 has many notations. */
function canonicalTarget({ type, value }: RoutingTarget): RoutingTarget {
  return { type, value: type === "CNAME" ? value : canonicalAddress(value) };
}
