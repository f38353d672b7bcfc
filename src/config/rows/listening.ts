import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { DAY } from "../../domain/timestamp.ts";
import * as parse from "./parsers.ts";
import { localBaseUrl, neededWhen, setting, settings, sitesDomainOf } from "./setting.ts";

/** The settings of the listeners and their threads. */
export const LISTENING_SETTINGS = settings({
  dataDir: setting(
    parse.folder,
    () => resolve("vitrine-data"),
    "folder for the database, content, certificates and vitrine.toml",
    { defaultText: "`./vitrine-data`" },
  ),
  tls: setting(
    parse.oneOf("MODE", ["off", "internal", "manual", "acme"]),
    "off",
    "source of certificates: off, internal (own local CA), manual (files) or acme",
  ),
  tlsCert: setting(
    parse.optional(parse.file),
    ({ tls }) => neededWhen(tls === "manual", "the certificate chain as a PEM file"),
    "certificate chain (PEM) for --tls manual",
    { defaultText: "none" },
  ),
  tlsKey: setting(
    parse.optional(parse.file),
    ({ tls }) => neededWhen(tls === "manual", "the certificate's private key as a PEM file"),
    "private key (PEM) for --tls manual",
    { defaultText: "none" },
  ),
  listen: setting(
    parse.listenAddress,
    ({ tls }) => (tls === "off" ? { host: "127.0.0.1", port: 8080 } : { host: null, port: 443 }),
    "address to listen on, such as 127.0.0.1:8080, [::1]:8080 or :443",
    { defaultText: "`127.0.0.1:8080`; `:443` once TLS is on" },
  ),
  httpListen: setting(
    parse.orOff(parse.listenAddress),
    ({ tls }) => (tls === "acme" ? { host: null, port: 80 } : null),
    "plain HTTP address beside TLS, for ACME challenges and redirects to HTTPS",
    { defaultText: "`off`; `:80` with TLS `acme`" },
  ),
  http2: setting(parse.onOff, true, "offer HTTP/2 as well as HTTP/1.1, with TLS"),
  hsts: setting(
    parse.orOff(parse.duration),
    365 * DAY,
    "how long browsers use only HTTPS for the base URL's host (with TLS manual or acme), or off",
  ),
  baseUrl: setting(parse.origin, localBaseUrl, "public URL of the dashboard and the API", {
    defaultText: "`http://localhost:<port>`; `https://` once TLS is on",
  }),
  sitesDomain: setting(parse.domainName, sitesDomainOf, "domain under which sites get their hostnames", {
    defaultText: "host of the base URL",
  }),
  workers: setting(parse.wholeNumber(1, 256), () => availableParallelism(), "threads that answer requests", {
    defaultText: "number of cores",
  }),
  trustedProxies: setting(
    parse.listOf(parse.cidr),
    [],
    "address ranges whose X-Forwarded-For, X-Forwarded-Proto and CF-IPCountry headers are trusted",
  ),
});
