import * as parse from "./parsers.ts";
import { setting, settings } from "./setting.ts";

/** The settings of public certificate authorities. */
export const ACME_SETTINGS = settings({
  acmeDirectory: setting(
    parse.webUrl,
    "https://acme-v02.api.letsencrypt.org/directory",
    "directory URL of the ACME server",
    { defaultText: "Let's Encrypt production" },
  ),
  acmeCaFile: setting(
    parse.optional(parse.file),
    null,
    "extra trusted root certificate (PEM) for connections to the ACME server",
  ),
  acmeEmail: setting(parse.optional(parse.email), null, "contact address of the ACME account"),
  acmeEabKid: setting(
    parse.optional(parse.text("ID")),
    null,
    "key ID of the external account binding, if the CA requires one",
  ),
  acmeEabHmac: setting(
    parse.optional(parse.base64url),
    null,
    "HMAC key of the external account binding, in base64url or base64",
    { secret: true },
  ),
  acmeFallbackDirectory: setting(
    parse.optional(parse.webUrl),
    null,
    "directory URL of a second ACME server, used after three failures of the first and while the first asks to wait",
  ),
  acmeFallbackEabKid: setting(
    parse.optional(parse.text("ID")),
    null,
    "key ID of the external account binding at the second ACME server",
  ),
  acmeFallbackEabHmac: setting(
    parse.optional(parse.base64url),
    null,
    "HMAC key of the external account binding at the second ACME server, in base64url or base64",
    { secret: true },
  ),
});
