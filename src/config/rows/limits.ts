import { STANDARD_RATES } from "../../domain/limits/rate-limit.ts";
import type { Rate } from "../../domain/model/rate.ts";
import * as parse from "./parsers.ts";
import { setting } from "./setting.ts";

const MIB = 1024 * 1024;

/** Bun's listener stores the idle seconds in a byte. */
const MAX_IDLE_MS = 255_000;

/** The settings that are limits. `GET /capabilities/limits` returns all of them. */
export const LIMIT_SETTINGS = {
  maxArchiveBytes: setting({
    flag: "max-archive-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 512 * MIB,
    defaultText: "`512MiB`",
    help: "maximum size of an uploaded archive",
  }),
  maxSiteBytes: setting({
    flag: "max-site-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 2048 * MIB,
    defaultText: "`2GiB`",
    help: "maximum size of a deployment, unpacked",
  }),
  maxFileBytes: setting({
    flag: "max-file-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 256 * MIB,
    defaultText: "`256MiB`",
    help: "maximum size of a single file",
  }),
  maxFiles: setting({
    flag: "max-files",
    value: "N",
    parse: parse.wholeNumber(1),
    default: 50_000,
    defaultText: "`50000`",
    help: "maximum number of files in a deployment",
  }),
  maxUserSites: setting({
    flag: "max-user-sites",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(0)),
    default: null,
    defaultText: "`off`",
    help: "maximum number of sites per user; vitrine users limit sets another for one user",
  }),
  maxUserBytes: setting({
    flag: "max-user-bytes",
    value: "SIZE",
    parse: parse.orOff(parse.bytes),
    default: null,
    defaultText: "`off`",
    help: "maximum size of all kept deployments of a user; vitrine users limit sets another for one user",
  }),
  maxUserUploads: setting({
    flag: "max-user-uploads",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(1)),
    default: 100,
    defaultText: "`100`",
    help: "maximum number of a user's uploads at once; further ones get 429",
  }),
  maxUserUploadBytes: setting({
    flag: "max-user-upload-bytes",
    value: "SIZE",
    parse: parse.orOff(parse.bytes),
    default: 2048 * MIB,
    defaultText: "`2GiB`",
    help: "maximum size of a user's uploads at once, together; beyond it they get 429",
  }),
  minUploadRate: setting({
    flag: "min-upload-rate",
    value: "SIZE",
    parse: parse.orOff(parse.bytes),
    default: 4096,
    defaultText: "`4KiB`",
    help: "minimum bytes per second of an upload, over half a minute; slower ones get 408",
  }),
  maxPendingClaims: setting({
    flag: "max-pending-claims",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(1)),
    default: null,
    defaultText: "`off`",
    help: "maximum number of a site's custom domains that wait for verification; further ones get 429",
  }),
  maxUrlLength: setting({
    flag: "max-url-length",
    value: "N",
    parse: parse.wholeNumber(1024, 16_000),
    default: 8192,
    defaultText: "`8192`",
    help: "maximum length of a URL with its query, in characters; longer ones get 414",
  }),
  idleTimeout: setting({
    flag: "idle-timeout",
    value: "TIME",
    parse: parse.durationWithin(1000, MAX_IDLE_MS),
    default: 10_000,
    defaultText: "`10s`",
    help: "time without data after which a connection is closed",
  }),
  uploadIdleTimeout: setting({
    flag: "upload-idle-timeout",
    value: "TIME",
    parse: parse.durationWithin(1000, MAX_IDLE_MS),
    default: 120_000,
    defaultText: "`2m`",
    help: "time without data after which a connection is closed during an upload",
  }),
  unpackers: setting({
    flag: "unpackers",
    value: "N",
    parse: parse.wholeNumber(1, 64),
    default: 2,
    defaultText: "`2`",
    help: "threads that unpack and publish uploads, beside those that serve visitors",
  }),
  waitingUploads: setting({
    flag: "waiting-uploads",
    value: "N",
    parse: parse.wholeNumber(1, 10_000),
    default: 100,
    defaultText: "`100`",
    help: "maximum number of uploads that wait to be unpacked; further ones get 503",
  }),
} as const;

/** The settings that are rates, per IP address, credential or user. */
export const RATE_SETTINGS = {
  signInRate: rateSetting("sign-in", STANDARD_RATES.signIn, "`10/15m`", "sign-ins per IP address"),
  userCodeRate: rateSetting("user-code", STANDARD_RATES.userCode, "`5/10m`", "wrong device codes per IP address"),
  deviceRate: rateSetting("device", STANDARD_RATES.device, "`20/1m`", "device authorizations started per IP address"),
  exchangeRate: rateSetting("exchange", STANDARD_RATES.exchange, "`30/1m`", "token exchanges of CI per IP address"),
  shareGuessRate: rateSetting(
    "share-guess",
    STANDARD_RATES.shareGuess,
    "`10/15m`",
    "wrong passwords of shares per IP address and site",
  ),
  sharePasswordRate: rateSetting(
    "share-password",
    STANDARD_RATES.sharePassword,
    "`20/15m`",
    "entries with the password of a share per IP address and site",
  ),
  shareLinkRate: rateSetting(
    "share-link",
    STANDARD_RATES.shareLink,
    "`300/15m`",
    "entries by the link of a share per IP address and site",
  ),
  tokenRate: rateSetting("token", null, "`off`", "deployment tokens created per user"),
  claimRate: rateSetting("claim", STANDARD_RATES.claim, "`20/1d`", "custom domains added per user"),
  claimBurstRate: rateSetting(
    "claim-burst",
    STANDARD_RATES.claimBurst,
    "`5/1m`",
    "custom domains added per user, over a shorter time",
  ),
  webhookRate: rateSetting("webhook", STANDARD_RATES.webhook, "`30/1m`", "webhook tests and retries per user"),
  deployRate: rateSetting("deploy", null, "`off`", "uploads per deployment token"),
  ownerDeployRate: rateSetting("owner-deploy", null, "`off`", "uploads to all sites of a user, with any credential"),
  apiRate: rateSetting("api", null, "`off`", "API calls per credential, as a token bucket"),
  visitRate: rateSetting("visit", null, "`off`", "requests per visitor address, as a token bucket"),
} as const;

function rateSetting(name: string, standard: Rate | null, defaultText: string, help: string) {
  return setting<Rate | null>({
    flag: `${name}-rate`,
    value: "N/TIME",
    parse: parse.orOff(parse.rate),
    default: standard,
    defaultText,
    help: `maximum rate of ${help}`,
  });
}
