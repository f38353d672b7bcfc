import * as parse from "./parsers.ts";
import { optionalSetting, setting, settings } from "./setting.ts";

/** The settings of custom domains, and of requests to untrusted addresses. */
export const DOMAIN_SETTINGS = settings({
  dnsResolvers: setting(
    parse.listOf(parse.addressAndPort(53)),
    [],
    "DNS resolvers for custom domains, as a list of ip:port",
    { defaultText: "the system's" },
  ),
  dnsListen: setting(parse.orOff(parse.listenAddress), null, "address of the built-in DNS-01 responder (UDP and TCP)"),
  routingTargets: setting(
    parse.listOf(parse.routingTarget),
    [],
    "the server's public addresses, as records such as A:203.0.113.7,AAAA:2001:db8::7",
  ),
  domains: setting(parse.onOff, ({ routingTargets }) => routingTargets.length > 0, "allow custom domains", {
    defaultText: "`on` when routing targets are known",
  }),
  proxyRanges: optionalSetting(parse.cidrsOrFile, "address ranges of the edge, instead of the built-in list", {
    defaultText: "built-in list",
  }),
  probePorts: setting(parse.probePorts, { http: 80, https: 443 }, "HTTP and HTTPS port for probes of custom domains"),
  allowPrivateProbes: setting(
    parse.onOff,
    false,
    "allow probes of custom domains to reach loopback and private addresses",
  ),
  allowPrivateWebhooks: setting(
    parse.onOff,
    false,
    "allow webhooks to reach loopback and private addresses, and any port",
  ),
});
