import { type Rate, STANDARD_RATES } from "../domain/rate-limit.ts";
import * as parse from "./parsers.ts";
import { setting } from "./setting.ts";

const MIB = 1024 * 1024;

/** The listener counts idle seconds in a byte. */
const MAX_IDLE = 255_000;

/** The rows of the settings table that limit what people, programs and visitors may do: `GET /capabilities/limits` shows all. */
export const LIMIT_SETTINGS = {
  maxArchiveBytes: setting({
    flag: "max-archive-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 512 * MIB,
    defaultText: "`512MiB`",
    help: "largest archive that is accepted",
  }),
  maxSiteBytes: setting({
    flag: "max-site-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 2048 * MIB,
    defaultText: "`2GiB`",
    help: "largest deployment, unpacked",
  }),
  maxFileBytes: setting({
    flag: "max-file-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 256 * MIB,
    defaultText: "`256MiB`",
    help: "largest single file of a deployment",
  }),
  maxFiles: setting({
    flag: "max-files",
    value: "N",
    parse: parse.wholeNumber(1),
    default: 50_000,
    defaultText: "`50000`",
    help: "most files in a deployment",
  }),
  maxUserSites: setting({
    flag: "max-user-sites",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(0)),
    default: null,
    defaultText: "`off`",
    help: "most sites of one person, where the operator gave them no other number (vitrine users limit)",
  }),
  maxUserBytes: setting({
    flag: "max-user-bytes",
    value: "SIZE",
    parse: parse.orOff(parse.bytes),
    default: null,
    defaultText: "`off`",
    help: "most bytes of all kept deployments of one person's sites, where the operator gave them no other size",
  }),
  maxUserUploads: setting({
    flag: "max-user-uploads",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(1)),
    default: 20,
    defaultText: "`20`",
    help: "most uploads of one person under way at once; further ones are answered 429",
  }),
  maxUserUploadBytes: setting({
    flag: "max-user-upload-bytes",
    value: "SIZE",
    parse: parse.orOff(parse.bytes),
    default: 2048 * MIB,
    defaultText: "`2GiB`",
    help: "most bytes of several uploads of one person under way, together; beyond it they are answered 429",
  }),
  minUploadRate: setting({
    flag: "min-upload-rate",
    value: "SIZE",
    parse: parse.orOff(parse.bytes),
    default: 4096,
    defaultText: "`4KiB`",
    help: "fewest bytes a second of an archive that is uploaded, over half a minute; slower ones are answered 408",
  }),
  maxPendingClaims: setting({
    flag: "max-pending-claims",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(1)),
    default: null,
    defaultText: "`off`",
    help: "most custom domains of a site that wait for their proof at once; further claims are answered 429",
  }),
  maxUrlLength: setting({
    flag: "max-url-length",
    value: "N",
    parse: parse.wholeNumber(1024, 16_000),
    default: 8192,
    defaultText: "`8192`",
    help: "most characters of an address with its query; longer ones are answered 414",
  }),
  idleTimeout: setting({
    flag: "idle-timeout",
    value: "TIME",
    parse: parse.durationWithin(1000, MAX_IDLE),
    default: 10_000,
    defaultText: "`10s`",
    help: "time without a byte after which a connection between requests, or in the middle of one, is closed",
  }),
  uploadIdleTimeout: setting({
    flag: "upload-idle-timeout",
    value: "TIME",
    parse: parse.durationWithin(1000, MAX_IDLE),
    default: 120_000,
    defaultText: "`2m`",
    help: "the same while an archive is uploaded",
  }),
  unpackers: setting({
    flag: "unpackers",
    value: "N",
    parse: parse.wholeNumber(1, 64),
    default: 2,
    defaultText: "`2`",
    help: "threads that unpack uploads and publish them; each takes from those that serve visitors",
  }),
  waitingUploads: setting({
    flag: "waiting-uploads",
    value: "N",
    parse: parse.wholeNumber(1, 10_000),
    default: 100,
    defaultText: "`100`",
    help: "uploads that wait to be unpacked; further ones are answered 503",
  }),
} as const;

/** The rows for rates: so many within such a time, for each address, credential or person. */
export const RATE_SETTINGS = {
  signInRate: rateSetting("sign-in", STANDARD_RATES.signIn, "`10/15m`", "sign-ins from an address"),
  userCodeRate: rateSetting("user-code", STANDARD_RATES.userCode, "`5/10m`", "wrong codes of devices from an address"),
  deviceRate: rateSetting("device", STANDARD_RATES.device, "`20/1m`", "device authorizations started from an address"),
  tokenRate: rateSetting("token", null, "`off`", "deployment tokens created by a person"),
  claimRate: rateSetting("claim", STANDARD_RATES.claim, "`20/1d`", "custom domains claimed by a person"),
  claimBurstRate: rateSetting(
    "claim-burst",
    STANDARD_RATES.claimBurst,
    "`5/1m`",
    "custom domains claimed by a person within a shorter time",
  ),
  webhookRate: rateSetting("webhook", STANDARD_RATES.webhook, "`30/1m`", "tests and retries of webhooks by a person"),
  deployRate: rateSetting("deploy", null, "`off`", "uploads with a deployment token"),
  ownerDeployRate: rateSetting("owner-deploy", null, "`off`", "uploads to all sites of a person, with any credential"),
  apiRate: rateSetting("api", null, "`off`", "calls of the API with a credential, by a bucket that fills again evenly"),
  visitRate: rateSetting(
    "visit",
    null,
    "`off`",
    "requests of a visitor's address, by a bucket that fills again evenly",
  ),
} as const;

function rateSetting(name: string, standard: Rate | null, defaultText: string, help: string) {
  return setting<Rate | null>({
    flag: `${name}-rate`,
    value: "N/TIME",
    parse: parse.orOff(parse.rate),
    default: standard,
    defaultText,
    help: `most ${help}`,
  });
}
