import * as parse from "./parsers.ts";
import { type Known, setting } from "./setting.ts";

/** The settings of custom domains, and of requests to untrusted addresses. */
export const DOMAIN_SETTINGS = {
  dnsResolvers: setting({
    flag: "dns-resolvers",
    value: "ADDRESSES",
    parse: parse.listOf(parse.addressAndPort(53)),
    default: [],
    defaultText: "the system's",
    help: "DNS resolvers for custom domains, as a list of ip:port",
  }),
  dnsListen: setting({
    flag: "dns-listen",
    value: "ADDRESS",
    parse: parse.orOff(parse.listenAddress),
    default: null,
    defaultText: "`off`",
    help: "address of the built-in DNS-01 responder (UDP and TCP)",
  }),
  routingTargets: setting({
    flag: "routing-targets",
    value: "RECORDS",
    parse: parse.listOf(parse.routingTarget),
    default: [],
    defaultText: "none",
    help: "the server's public addresses, as records such as A:203.0.113.7,AAAA:2001:db8::7",
  }),
  domains: setting({
    flag: "domains",
    value: "on|off",
    parse: parse.onOff,
    default: ({ routingTargets }: Known) => routingTargets.length > 0,
    defaultText: "`on` when routing targets are known",
    help: "allow custom domains",
  }),
  proxyRanges: setting({
    flag: "proxy-ranges",
    value: "CIDRS|FILE",
    parse: parse.optional(parse.cidrsOrFile),
    default: null,
    defaultText: "built-in list",
    help: "address ranges of the edge, instead of the built-in list",
  }),
  probePorts: setting({
    flag: "probe-ports",
    value: "HTTP,HTTPS",
    parse: parse.probePorts,
    default: { http: 80, https: 443 },
    defaultText: "`80,443`",
    help: "HTTP and HTTPS port for probes of custom domains",
  }),
  allowPrivateProbes: setting({
    flag: "allow-private-probes",
    value: "on|off",
    parse: parse.onOff,
    default: false,
    defaultText: "`off`",
    help: "allow probes of custom domains to reach loopback and private addresses",
  }),
  allowPrivateWebhooks: setting({
    flag: "allow-private-webhooks",
    value: "on|off",
    parse: parse.onOff,
    default: false,
    defaultText: "`off`",
    help: "allow webhooks to reach loopback and private addresses, and any port",
  }),
} as const;
