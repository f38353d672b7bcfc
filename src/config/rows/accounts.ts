import { STANDARD_ISSUERS } from "../../domain/publishers/manage.ts";
import * as parse from "./parsers.ts";
import { type Known, neededWhen, providerUrlOf, setting } from "./setting.ts";

/** The settings of accounts: the identity provider, and the issuers of CI's ID tokens. */
export const ACCOUNT_SETTINGS = {
  provider: setting({
    flag: "provider",
    value: "NAME",
    parse: parse.oneOf("local", "github", "oidc"),
    default: "local",
    defaultText: "`local`",
    help: "who signs users in: local (accounts on this server), github or oidc",
  }),
  providerUrl: setting({
    flag: "provider-url",
    value: "URL",
    parse: parse.optional(parse.webUrl),
    default: providerUrlOf,
    defaultText: "GitHub's for `github`",
    help: "URL of the provider: GitHub's, or the OIDC issuer",
  }),
  providerClientId: setting({
    flag: "provider-client-id",
    value: "ID",
    parse: parse.optional(parse.text),
    default: ({ provider }: Known) => neededWhen(provider !== "local", "the client ID that the provider gave out"),
    defaultText: "none",
    help: "client ID at the provider",
  }),
  providerClientSecret: setting({
    flag: "provider-client-secret",
    value: "SECRET",
    parse: parse.optional(parse.text),
    default: null,
    defaultText: "none",
    help: "client secret at the provider; a variable keeps it out of the process list",
    secret: true,
  }),
  signup: setting({
    flag: "signup",
    value: "MODE",
    parse: parse.oneOf("closed", "open"),
    default: "closed",
    defaultText: "`closed`",
    help: "who may sign in: closed (users who were added) or open (everyone the provider knows)",
  }),
  ciIssuers: setting({
    flag: "ci-issuers",
    value: "URLS",
    parse: parse.orOff(parse.listOf(parse.issuer)),
    default: Object.values(STANDARD_ISSUERS),
    defaultText: "GitHub's and gitlab.com's",
    help: "CI systems whose ID tokens publishers may rely on, as a list of issuers",
  }),
} as const;
