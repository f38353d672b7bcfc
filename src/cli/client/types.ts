import type { SiteAccessResponse, SiteReaderResponse } from "../../api/schemas/access.ts";
import type { AuditEntryResponse } from "../../api/schemas/audit.ts";
import type { PollDeviceResponse, SignedInUser, StartDeviceResponse } from "../../api/schemas/auth.ts";
import type { DeploySiteResponse, SiteDeploymentResponse } from "../../api/schemas/deployments.ts";
import type { CustomDomainCapabilityResponse, DomainClaimResponse } from "../../api/schemas/domains.ts";
import type { HostingCapabilityResponse } from "../../api/schemas/hosting.ts";
import type { LimitsResponse } from "../../api/schemas/limits.ts";
import type { AliasResponse } from "../../api/schemas/previews.ts";
import type { PublisherResponse } from "../../api/schemas/publishers.ts";
import type { RetentionPreviewResponse } from "../../api/schemas/retention.ts";
import type { CreatedShareResponse, ShareResponse } from "../../api/schemas/shares.ts";
import type { SiteResponse } from "../../api/schemas/sites.ts";
import type { CreatedDeploymentTokenResponse, DeploymentTokenResponse } from "../../api/schemas/tokens.ts";
import type { VisitExplanationResponse } from "../../api/schemas/visit-explanation.ts";
import type { WebhookDeliveryResponse, WebhookResponse, WebhookSecretResponse } from "../../api/schemas/webhooks.ts";

/** The API's responses. */
export type User = typeof SignedInUser.static;
export type Site = typeof SiteResponse.static;
export type DeployResult = typeof DeploySiteResponse.static;
export type Deployment = typeof SiteDeploymentResponse.static;
/** `line` is 0 for the whole file. */
export type Warning = Deployment["warnings"][number];

export type Alias = typeof AliasResponse.static;
export type VisitExplanation = typeof VisitExplanationResponse.static;
export type RetentionPreview = typeof RetentionPreviewResponse.static;
export type AuditEntry = typeof AuditEntryResponse.static;
/** `{site}` in `site_url` stands for a site's name. */
export type HostingCapability = typeof HostingCapabilityResponse.static;
export type Limits = typeof LimitsResponse.static;
export type Access = typeof SiteAccessResponse.static;
export type Reader = typeof SiteReaderResponse.static;
/** `expires_at` and `last_used_at` are null if there is no such time. */
export type DeploymentToken = typeof DeploymentTokenResponse.static;
export type Publisher = typeof PublisherResponse.static;
export type Share = typeof ShareResponse.static;
export type CreatedShare = typeof CreatedShareResponse.static;
export type CreatedDeploymentToken = typeof CreatedDeploymentTokenResponse.static;
export type DeviceAuthorization = typeof StartDeviceResponse.static;
export type SessionGrant = typeof PollDeviceResponse.static;

export type DomainClaim = typeof DomainClaimResponse.static;
export type ProxyDiagnostics = NonNullable<DomainClaim["proxy_diagnostics"]>;
export type DomainCapability = typeof CustomDomainCapabilityResponse.static;

export type Webhook = typeof WebhookResponse.static;
export type WebhookWithSecret = typeof WebhookSecretResponse.static;
export type WebhookDelivery = typeof WebhookDeliveryResponse.static;
