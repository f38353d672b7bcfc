import { STANDARD_RATES } from "../../domain/limits/rate-limit.ts";
import type { Rate } from "../../domain/model/rate.ts";
import * as parse from "./parsers.ts";
import { setting, settings } from "./setting.ts";

const MIB = 1024 * 1024;

/** Bun's listener stores the idle seconds in a byte. */
const MAX_IDLE_MS = 255_000;

/** The settings that are limits. `GET /capabilities/limits` returns all of them. */
export const LIMIT_SETTINGS = settings({
  maxArchiveBytes: setting(parse.bytes, 512 * MIB, "maximum size of an uploaded archive"),
  maxSiteBytes: setting(parse.bytes, 2048 * MIB, "maximum size of a deployment, unpacked"),
  maxFileBytes: setting(parse.bytes, 256 * MIB, "maximum size of a single file"),
  maxFiles: setting(parse.wholeNumber(1), 50_000, "maximum number of files in a deployment"),
  maxUserSites: setting(
    parse.orOff(parse.wholeNumber(0)),
    null,
    "maximum number of sites per user; vitrine users limit sets another for one user",
  ),
  maxUserBytes: setting(
    parse.orOff(parse.bytes),
    null,
    "maximum size of all kept deployments of a user; vitrine users limit sets another for one user",
  ),
  maxUserUploads: setting(
    parse.orOff(parse.wholeNumber(1)),
    100,
    "maximum number of a user's uploads at once; further ones get 429",
  ),
  maxUserUploadBytes: setting(
    parse.orOff(parse.bytes),
    2048 * MIB,
    "maximum size of a user's uploads at once, together; beyond it they get 429",
  ),
  minUploadRate: setting(
    parse.orOff(parse.bytes),
    4096,
    "minimum bytes per second of an upload, over half a minute; slower ones get 408",
  ),
  maxPendingClaims: setting(
    parse.orOff(parse.wholeNumber(1)),
    null,
    "maximum number of a site's custom domains that wait for verification; further ones get 429",
  ),
  maxUrlLength: setting(
    parse.wholeNumber(1024, 16_000),
    8192,
    "maximum length of a URL with its query, in characters; longer ones get 414",
  ),
  idleTimeout: setting(
    parse.durationWithin(1000, MAX_IDLE_MS),
    10_000,
    "time without data after which a connection is closed",
  ),
  uploadIdleTimeout: setting(
    parse.durationWithin(1000, MAX_IDLE_MS),
    120_000,
    "time without data after which a connection is closed during an upload",
  ),
  unpackers: setting(
    parse.wholeNumber(1, 64),
    2,
    "threads that unpack and publish uploads, beside those that serve visitors",
  ),
  waitingUploads: setting(
    parse.wholeNumber(1, 10_000),
    100,
    "maximum number of uploads that wait to be unpacked; further ones get 503",
  ),
});

/** The settings that are rates, per IP address, credential or user. */
export const RATE_SETTINGS = settings({
  signInRate: rateSetting(STANDARD_RATES.signIn, "sign-ins per IP address"),
  userCodeRate: rateSetting(STANDARD_RATES.userCode, "wrong device codes per IP address"),
  passkeyRate: rateSetting(STANDARD_RATES.passkey, "challenges for passkeys per IP address"),
  deviceRate: rateSetting(STANDARD_RATES.device, "device authorizations started per IP address"),
  exchangeRate: rateSetting(STANDARD_RATES.exchange, "token exchanges of CI per IP address"),
  registrationRate: rateSetting(STANDARD_RATES.registration, "programs that register or are looked up per IP address"),
  mcpCallRate: rateSetting(STANDARD_RATES.mcpCall, "calls of MCP tools per credential"),
  shareGuessRate: rateSetting(STANDARD_RATES.shareGuess, "wrong passwords of shares per IP address and site"),
  sharePasswordRate: rateSetting(
    STANDARD_RATES.sharePassword,
    "entries with the password of a share per IP address and site",
  ),
  shareLinkRate: rateSetting(STANDARD_RATES.shareLink, "entries by the link of a share per IP address and site"),
  lookupRate: rateSetting(
    STANDARD_RATES.lookup,
    "logins per user that are looked up at the provider, or added as readers and members",
  ),
  tokenRate: rateSetting(null, "deployment tokens created per user"),
  claimRate: rateSetting(STANDARD_RATES.claim, "custom domains added per user"),
  claimBurstRate: rateSetting(STANDARD_RATES.claimBurst, "custom domains added per user, over a shorter time"),
  webhookRate: rateSetting(STANDARD_RATES.webhook, "webhook tests and retries per user"),
  deployRate: rateSetting(null, "uploads per deployment token"),
  ownerDeployRate: rateSetting(null, "uploads to all sites of a user, with any credential"),
  apiRate: rateSetting(null, "API calls per credential, as a token bucket"),
  visitRate: rateSetting(null, "requests per visitor address, as a token bucket"),
});

function rateSetting(standard: Rate | null, what: string) {
  return setting(parse.orOff(parse.rate), standard, `maximum rate of ${what}`);
}
