import { ACCESS, PUBLIC_SITES } from "../../domain/model/site-policy.ts";
import { STANDARD_ISSUERS } from "../../domain/publishers/manage.ts";
import * as parse from "./parsers.ts";
import { neededWhen, optionalSetting, providerUrlOf, setting, settings } from "./setting.ts";

/** The settings of accounts: the identity provider, and the issuers of CI's ID tokens. */
export const ACCOUNT_SETTINGS = settings({
  provider: setting(
    parse.oneOf("NAME", ["local", "github", "oidc"]),
    "local",
    "who signs users in: local (accounts on this server), github or oidc",
  ),
  providerUrl: setting(
    parse.optional(parse.webUrl),
    providerUrlOf,
    "URL of the provider: GitHub's, or the OIDC issuer",
    { defaultText: "GitHub's for `github`" },
  ),
  providerClientId: setting(
    parse.optional(parse.text("ID")),
    ({ provider }) => neededWhen(provider !== "local", "the client ID that the provider gave out"),
    "client ID at the provider",
    { defaultText: "none" },
  ),
  providerClientSecret: optionalSetting(
    parse.text("SECRET"),
    "client secret at the provider; a variable keeps it out of the process list",
    { secret: true },
  ),
  oidcScopes: setting(
    parse.scopes,
    ["openid", "profile", "email"],
    "scopes that are requested from the OIDC issuer; `groups` is never added by itself",
  ),
  oidcGroupsClaim: optionalSetting(
    parse.text("CLAIM"),
    "claim with a user's groups, by name or as a path such as realm_access.roles; makes @group usable",
    { defaultText: "none" },
  ),
  signup: setting(
    parse.oneOf("MODE", ["closed", "open"]),
    "closed",
    "who may sign in: closed (users who were added) or open (everyone the provider knows)",
  ),
  defaultAccess: setting(
    parse.oneOf("ACCESS", ACCESS),
    "public",
    "access of a new site whose deployment does not choose one: public or private",
  ),
  publicSites: setting(
    parse.oneOf("WHO", PUBLIC_SITES),
    "on",
    "who may make sites public: on (everybody), off (nobody) or operators; public sites from before stay",
  ),
  ciIssuers: setting(
    parse.orOff(parse.listOf(parse.issuer)),
    Object.values(STANDARD_ISSUERS),
    "CI systems whose ID tokens publishers may rely on, as a list of issuers",
    { defaultText: "GitHub's and gitlab.com's" },
  ),
});
