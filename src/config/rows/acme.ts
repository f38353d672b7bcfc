import * as parse from "./parsers.ts";
import { optionalSetting, setting, settings } from "./setting.ts";

/** The settings of public certificate authorities. */
export const ACME_SETTINGS = settings({
  acmeDirectory: setting(
    parse.webUrl,
    "https://acme-v02.api.letsencrypt.org/directory",
    "directory URL of the ACME server",
    { defaultText: "Let's Encrypt production" },
  ),
  acmeCaFile: optionalSetting(parse.file, "extra trusted root certificate (PEM) for connections to the ACME server"),
  acmeEmail: optionalSetting(parse.email, "contact address of the ACME account"),
  acmeEabKid: optionalSetting(parse.text("ID"), "key ID of the external account binding, if the CA requires one"),
  acmeEabHmac: optionalSetting(parse.base64url, "HMAC key of the external account binding, in base64url or base64", {
    secret: true,
  }),
  acmeFallbackDirectory: optionalSetting(
    parse.webUrl,
    "directory URL of a second ACME server, used after three failures of the first and while the first asks to wait",
  ),
  acmeFallbackEabKid: optionalSetting(
    parse.text("ID"),
    "key ID of the external account binding at the second ACME server",
  ),
  acmeFallbackEabHmac: optionalSetting(
    parse.base64url,
    "HMAC key of the external account binding at the second ACME server, in base64url or base64",
    { secret: true },
  ),
});
