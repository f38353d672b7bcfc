import { Type as t } from "@sinclair/typebox";
import { domainCapability } from "../../domain/claims/capability.ts";
import { checkClaim } from "../../domain/claims/check.ts";
import type { ClaimPorts } from "../../domain/claims/claim-ports.ts";
import { createClaim } from "../../domain/claims/create.ts";
import { cancelTransition, listClaims, removeClaim, retryTransition } from "../../domain/claims/manage.ts";
import { unlessUnavailable } from "../../domain/errors.ts";
import type { Claim } from "../../domain/model/claim.ts";
import { reply, route } from "../route.ts";
import {
  CreateDomainClaimRequest,
  CustomDomainCapabilityResponse,
  capabilityResponse,
  DomainClaimResponse,
  domainClaimResponse,
} from "../schemas/domains.ts";

const common = { tag: "Custom domains", auth: "site" } as const;
const params = { claim_id: t.Integer() };
const response = { 200: DomainClaimResponse };
const errors = { 404: "domain claim does not exist" };

const refOf = (params: { name: string; claim_id: number }) => ({ siteName: params.name, claimId: params.claim_id });

/** Only a verified claim has the hostname: after another one, its certificate may be that of somebody else. */
async function withCertificate({ certificates }: Pick<ClaimPorts, "certificates">, claim: Claim) {
  return domainClaimResponse(claim, claim.status === "verified" ? await certificates.status(claim.hostname) : null);
}

/** A certificate that cannot be read any more does not turn a change that was made into an error. */
function changedClaim(ports: Pick<ClaimPorts, "certificates">, claim: Claim) {
  return unlessUnavailable(withCertificate(ports, claim), domainClaimResponse(claim, null));
}

export const domainRoutes = [
  route({
    ...common,
    endpoint: "GET /capabilities/custom-domains",
    summary: "Get what this server supports for custom domains",
    auth: "session",
    response: { 200: CustomDomainCapabilityResponse },
    handler: async ({ ports }) => capabilityResponse(await domainCapability(ports.claims)),
  }),

  route({
    ...common,
    endpoint: "GET /sites/:name/domains",
    operation: "read_domains",
    summary: "List custom domain claims",
    description: "Newest first, ended claims included.",
    response: { 200: t.Array(DomainClaimResponse) },
    handler: async ({ caller, params, ports }) => {
      const claims = await listClaims(ports.claims, caller, params.name);
      return Promise.all(claims.map((claim) => withCertificate(ports.claims, claim)));
    },
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/domains",
    operation: "manage_domains",
    summary: "Claim a custom domain",
    description: "Set the TXT record in `verification` and the address records; the server does the rest.",
    body: CreateDomainClaimRequest,
    response: { 201: DomainClaimResponse },
    errors: {
      400: "the hostname cannot be used",
      404: "site or alias does not exist",
      409: "the hostname is already claimed by this owner or verified for another site, or custom domains are off",
      429: "too many claims",
      503: "custom domains are not ready yet",
    },
    audit: ({ hostname }) => (hostname ? `Added the domain ${hostname}` : "Added a custom domain"),
    handler: async ({ caller, params, body, ports }) => {
      const { hostname, target } = body;
      const wanted = { siteName: params.name, hostname, alias: target?.alias ?? null };
      const claim = await createClaim(ports.claims, caller, wanted);
      return reply(await withCertificate(ports.claims, claim), {
        audit: { claim_id: String(claim.id), hostname: claim.hostname },
      });
    },
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/domains/:claim_id/check",
    operation: "manage_domains",
    summary: "Check a custom domain now",
    params,
    response,
    errors: { ...errors, 409: "the claim has ended", 503: "no DNS resolver answers" },
    audit: "Checked a custom domain",
    handler: async ({ caller, params, ports }) =>
      changedClaim(ports.claims, await checkClaim(ports.claims, caller, refOf(params))),
  }),

  route({
    ...common,
    endpoint: "DELETE /sites/:name/domains/:claim_id",
    operation: "manage_domains",
    summary: "Remove a custom domain",
    params,
    errors,
    audit: "Removed a custom domain",
    handler: async ({ caller, params, ports }) => {
      await removeClaim(ports.claims, caller, refOf(params));
    },
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/domains/:claim_id/transition/cancel",
    operation: "manage_domains",
    summary: "Cancel a custom domain transition",
    params,
    response,
    errors: { ...errors, 409: "there is no transition to cancel" },
    audit: "Cancelled a domain transition",
    handler: async ({ caller, params, ports }) =>
      changedClaim(ports.claims, await cancelTransition(ports.claims, caller, refOf(params))),
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/domains/:claim_id/transition/retry",
    operation: "manage_domains",
    summary: "Retry a custom domain transition",
    params,
    response,
    errors: { ...errors, 409: "there is no transition to retry" },
    audit: "Retried a domain transition",
    handler: async ({ caller, params, ports }) =>
      changedClaim(ports.claims, await retryTransition(ports.claims, caller, refOf(params))),
  }),
];
