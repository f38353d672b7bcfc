import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { DAY } from "../../domain/timestamp.ts";
import * as parse from "./parsers.ts";
import { type Known, localBaseUrl, neededWhen, setting, sitesDomainOf } from "./setting.ts";

/** The settings of the listeners and their threads. */
export const LISTENING_SETTINGS = {
  dataDir: setting({
    flag: "data-dir",
    value: "FOLDER",
    parse: parse.path,
    default: () => resolve("vitrine-data"),
    defaultText: "`./vitrine-data`",
    help: "folder for the database, content, certificates and vitrine.toml",
  }),
  tls: setting({
    flag: "tls",
    value: "MODE",
    parse: parse.oneOf("off", "internal", "manual", "acme"),
    default: "off",
    defaultText: "`off`",
    help: "source of certificates: off, internal (own local CA), manual (files) or acme",
  }),
  tlsCert: setting({
    flag: "tls-cert",
    value: "FILE",
    parse: parse.optional(parse.path),
    default: ({ tls }: Known) => neededWhen(tls === "manual", "the certificate chain as a PEM file"),
    defaultText: "none",
    help: "certificate chain (PEM) for --tls manual",
  }),
  tlsKey: setting({
    flag: "tls-key",
    value: "FILE",
    parse: parse.optional(parse.path),
    default: ({ tls }: Known) => neededWhen(tls === "manual", "the certificate's private key as a PEM file"),
    defaultText: "none",
    help: "private key (PEM) for --tls manual",
  }),
  listen: setting({
    flag: "listen",
    value: "ADDRESS",
    parse: parse.listenAddress,
    default: ({ tls }: Known) => (tls === "off" ? { host: "127.0.0.1", port: 8080 } : { host: null, port: 443 }),
    defaultText: "`127.0.0.1:8080`; `:443` once TLS is on",
    help: "address to listen on, such as 127.0.0.1:8080, [::1]:8080 or :443",
  }),
  httpListen: setting({
    flag: "http-listen",
    value: "ADDRESS",
    parse: parse.orOff(parse.listenAddress),
    default: ({ tls }: Known) => (tls === "acme" ? { host: null, port: 80 } : null),
    defaultText: "`off`; `:80` with TLS `acme`",
    help: "plain HTTP address beside TLS, for ACME challenges and redirects to HTTPS",
  }),
  http2: setting({
    flag: "http2",
    value: "on|off",
    parse: parse.onOff,
    default: true,
    defaultText: "`on`",
    help: "offer HTTP/2 as well as HTTP/1.1, with TLS",
  }),
  hsts: setting({
    flag: "hsts",
    value: "TIME",
    parse: parse.orOff(parse.duration),
    default: 365 * DAY,
    defaultText: "`365d`",
    help: "how long browsers use only HTTPS for the base URL's host (with TLS manual or acme), or off",
  }),
  baseUrl: setting({
    flag: "base-url",
    value: "URL",
    parse: parse.origin,
    default: localBaseUrl,
    defaultText: "`http://localhost:<port>`; `https://` once TLS is on",
    help: "public URL of the dashboard and the API",
  }),
  sitesDomain: setting({
    flag: "sites-domain",
    value: "DOMAIN",
    parse: parse.domainName,
    default: sitesDomainOf,
    defaultText: "host of the base URL",
    help: "domain under which sites get their hostnames",
  }),
  workers: setting({
    flag: "workers",
    value: "N",
    parse: parse.wholeNumber(1, 256),
    default: () => availableParallelism(),
    defaultText: "number of cores",
    help: "threads that answer requests",
  }),
  trustedProxies: setting({
    flag: "trusted-proxies",
    value: "CIDRS",
    parse: parse.listOf(parse.cidr),
    default: [],
    defaultText: "none",
    help: "address ranges whose X-Forwarded-For, X-Forwarded-Proto and CF-IPCountry headers are trusted",
  }),
} as const;
