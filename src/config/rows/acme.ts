import * as parse from "./parsers.ts";
import { setting } from "./setting.ts";

/** The settings of public certificate authorities. */
export const ACME_SETTINGS = {
  acmeDirectory: setting({
    flag: "acme-directory",
    value: "URL",
    parse: parse.webUrl,
    default: "https://acme-v02.api.letsencrypt.org/directory",
    defaultText: "Let's Encrypt production",
    help: "directory URL of the ACME server",
  }),
  acmeCaFile: setting({
    flag: "acme-ca-file",
    value: "FILE",
    parse: parse.optional(parse.path),
    default: null,
    defaultText: "none",
    help: "extra trusted root certificate (PEM) for connections to the ACME server",
  }),
  acmeEmail: setting({
    flag: "acme-email",
    value: "EMAIL",
    parse: parse.optional(parse.email),
    default: null,
    defaultText: "none",
    help: "contact address of the ACME account",
  }),
  acmeEabKid: setting({
    flag: "acme-eab-kid",
    value: "ID",
    parse: parse.optional(parse.text),
    default: null,
    defaultText: "none",
    help: "key ID of the external account binding, if the CA requires one",
  }),
  acmeEabHmac: setting({
    flag: "acme-eab-hmac",
    value: "KEY",
    parse: parse.optional(parse.base64url),
    default: null,
    defaultText: "none",
    help: "HMAC key of the external account binding, in base64url or base64",
    secret: true,
  }),
  acmeFallbackDirectory: setting({
    flag: "acme-fallback-directory",
    value: "URL",
    parse: parse.optional(parse.webUrl),
    default: null,
    defaultText: "none",
    help: "directory URL of a second ACME server, used after three failures of the first and while the first asks to wait",
  }),
  acmeFallbackEabKid: setting({
    flag: "acme-fallback-eab-kid",
    value: "ID",
    parse: parse.optional(parse.text),
    default: null,
    defaultText: "none",
    help: "key ID of the external account binding at the second ACME server",
  }),
  acmeFallbackEabHmac: setting({
    flag: "acme-fallback-eab-hmac",
    value: "KEY",
    parse: parse.optional(parse.base64url),
    default: null,
    defaultText: "none",
    help: "HMAC key of the external account binding at the second ACME server, in base64url or base64",
    secret: true,
  }),
} as const;
