import type { Config } from "../config.ts";
import type { Quota } from "../domain/quotas/quota.ts";

/** Returns what each person may have, unless the operator gave them another. */
export function userQuota({ maxUserSites, maxUserBytes }: Pick<Config, "maxUserSites" | "maxUserBytes">): Quota {
  return { sites: maxUserSites, bytes: maxUserBytes };
}
