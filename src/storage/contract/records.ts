import type { Certificate } from "../../domain/model/certificate.ts";
import type { NewWebhook } from "../../domain/model/webhook.ts";
import type { NewDeploymentToken } from "../../domain/ports/store/tokens.ts";

/** Returns a deployment token that may publish and does not expire. */
export function tokenOf(
  facts: Pick<NewDeploymentToken, "siteId" | "makerId"> & Partial<NewDeploymentToken>,
): NewDeploymentToken {
  return { id: "t", name: "CI", permission: "publish", tokenHash: "t", createdAt: 0, expiresAt: null, ...facts };
}

/** Returns a webhook of a site that gets all events. */
export function webhookOf(siteId: number, facts: Partial<NewWebhook> = {}): NewWebhook {
  const secret = "whsec_AAAA";
  return { id: "all", siteId, url: "https://a.example/", events: null, secret, createdAt: 0, ...facts };
}

export const CERTIFICATE: Certificate = {
  names: ["www.example.org"],
  chain: "chain",
  key: "key",
  notBefore: 0,
  notAfter: 1000,
  authority: "https://ca.example/dir",
  renewalId: null,
};
