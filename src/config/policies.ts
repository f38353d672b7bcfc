import type { Rates } from "../domain/limits/rate-limit.ts";
import type { Quota } from "../domain/model/quota.ts";
import type { RetentionPolicy } from "../domain/model/retention.ts";
import type { SitePolicy } from "../domain/model/site-policy.ts";
import type { UploadLimits } from "../domain/ports/archive.ts";
import type { Config } from "./settings.ts";

/** Returns the limits of an upload. */
export function uploadLimits(config: Config): UploadLimits {
  return {
    archiveBytes: config.maxArchiveBytes,
    siteBytes: config.maxSiteBytes,
    fileBytes: config.maxFileBytes,
    files: config.maxFiles,
  };
}

/** Returns the default quota of users. */
export function userQuota({ maxUserSites, maxUserBytes }: Pick<Config, "maxUserSites" | "maxUserBytes">): Quota {
  return { sites: maxUserSites, bytes: maxUserBytes };
}

/** Returns what the operator decided about the access to sites. */
export function sitePolicy({ defaultAccess, publicSites }: Config): SitePolicy {
  return { defaultAccess, publicSites };
}

/** Returns the retention policy of sites without their own. */
export function standardRetention({ keepLast, keepDays, grace }: Config): RetentionPolicy {
  return { last: keepLast, days: keepDays, graceMs: grace };
}

/** Returns the operator's webhook in the settings; null if there is none. */
export function operatorWebhook({ operatorWebhook: url, operatorWebhookSecret: secret }: Config) {
  return url === null || secret === null ? null : { url, secret };
}

/** Returns the rates that are counted in the store. */
export function ratesInForce(config: Config): Rates {
  return {
    signIn: config.signInRate,
    userCode: config.userCodeRate,
    passkey: config.passkeyRate,
    device: config.deviceRate,
    exchange: config.exchangeRate,
    registration: config.registrationRate,
    mcpCall: config.mcpCallRate,
    shareGuess: config.shareGuessRate,
    sharePassword: config.sharePasswordRate,
    shareLink: config.shareLinkRate,
    lookup: config.lookupRate,
    token: config.tokenRate,
    claim: config.claimRate,
    claimBurst: config.claimBurstRate,
    webhook: config.webhookRate,
    deploy: config.deployRate,
    ownerDeploy: config.ownerDeployRate,
  };
}
