import { Elysia, t } from "elysia";
import { domainCapability } from "../../domain/claims/capability.ts";
import { cancelTransition, checkClaim, listClaims, removeClaim, retryTransition } from "../../domain/claims/check.ts";
import { createClaim } from "../../domain/claims/create.ts";
import { requireSession } from "../../domain/sites/ownership.ts";
import { authenticated } from "../authenticate.ts";
import { setAuditSubject } from "../change-notes.ts";
import { describe, OWNED_SITE } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import {
  CreateDomainClaimRequest,
  CustomDomainCapabilityResponse,
  capabilityResponse,
  DomainClaimResponse,
  domainClaimResponse,
} from "../schemas/domains.ts";
import { siteParams } from "../schemas/params.ts";

const tags = ["Custom domains"];
const errors = { ...OWNED_SITE, 404: "domain claim does not exist" };
const claimParams = t.Object({ name: t.String(), claim_id: t.Integer() });

export function domainRoutes(ports: ApiPorts) {
  const { claims } = ports;
  const requestOf = (params: { name: string; claim_id: number }) => ({
    siteName: params.name,
    claimId: params.claim_id,
  });
  return new Elysia()
    .use(authenticated(ports))
    .get(
      "/capabilities/custom-domains",
      async ({ caller }) => {
        requireSession(caller);
        return capabilityResponse(await domainCapability(claims));
      },
      {
        response: { 200: CustomDomainCapabilityResponse },
        detail: describe({
          summary: "Get what this server supports for custom domains",
          tags,
          errors: { 403: "a session token is required" },
        }),
      },
    )
    .get(
      "/sites/:name/domains",
      async ({ caller, params }) => (await listClaims(claims, caller, params.name)).map(domainClaimResponse),
      {
        params: siteParams,
        response: { 200: t.Array(DomainClaimResponse) },
        detail: describe({
          summary: "List custom domain claims",
          description: "Newest first, ended claims included.",
          tags,
          errors: OWNED_SITE,
        }),
      },
    )
    .post(
      "/sites/:name/domains",
      async ({ caller, params, body, set, request }) => {
        const claim = await createClaim(claims, caller, { siteName: params.name, hostname: body.hostname });
        setAuditSubject(request, { claim_id: String(claim.id), hostname: claim.hostname });
        set.status = 201;
        return domainClaimResponse(claim);
      },
      {
        params: siteParams,
        body: CreateDomainClaimRequest,
        response: { 201: DomainClaimResponse },
        detail: describe({
          summary: "Claim a custom domain",
          description: "Set the TXT record in `verification` and the address records; the server does the rest.",
          tags,
          errors: {
            ...OWNED_SITE,
            400: "the hostname cannot be used",
            409: "the hostname is already claimed by this owner or verified for another site",
            429: "too many claims",
            503: "custom domains are off or not ready",
          },
        }),
      },
    )
    .post(
      "/sites/:name/domains/:claim_id/check",
      async ({ caller, params }) => domainClaimResponse(await checkClaim(claims, caller, requestOf(params))),
      {
        params: claimParams,
        response: { 200: DomainClaimResponse },
        detail: describe({
          summary: "Check a custom domain now",
          tags,
          errors: { ...errors, 409: "the claim has ended", 503: "no DNS resolver answers" },
        }),
      },
    )
    .delete(
      "/sites/:name/domains/:claim_id",
      async ({ caller, params, set }) => {
        await removeClaim(claims, caller, requestOf(params));
        set.status = 204;
      },
      { params: claimParams, detail: describe({ summary: "Remove a custom domain", tags, errors }) },
    )
    .post(
      "/sites/:name/domains/:claim_id/transition/cancel",
      async ({ caller, params }) => domainClaimResponse(await cancelTransition(claims, caller, requestOf(params))),
      {
        params: claimParams,
        response: { 200: DomainClaimResponse },
        detail: describe({
          summary: "Cancel a custom domain transition",
          tags,
          errors: { ...errors, 409: "there is no transition to cancel" },
        }),
      },
    )
    .post(
      "/sites/:name/domains/:claim_id/transition/retry",
      async ({ caller, params }) => domainClaimResponse(await retryTransition(claims, caller, requestOf(params))),
      {
        params: claimParams,
        response: { 200: DomainClaimResponse },
        detail: describe({
          summary: "Retry a custom domain transition",
          tags,
          errors: { ...errors, 409: "there is no transition to retry" },
        }),
      },
    );
}
