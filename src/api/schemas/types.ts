import type { ProviderUserResponse, SiteAccessResponse, SiteReaderResponse } from "./access.ts";
import type {
  AdminSiteResponse,
  AdminSitesResponse,
  AdminUserResponse,
  AdminUsersResponse,
  InvitationResponse,
  PasswordLinkResponse,
  SettingResponse,
  TotalsResponse,
  TransferResponse,
} from "./admin.ts";
import type { DoctorResponse, JobResponse, MetricsResponse } from "./admin-maintenance.ts";
import type { AnalyticsResponse } from "./analytics.ts";
import type { AuditEntryResponse } from "./audit.ts";
import type { PollDeviceResponse, SessionResponse, SignedInUser, StartDeviceResponse } from "./auth.ts";
import type { BackupsResponse } from "./backups.ts";
import type {
  DeploymentChangesResponse,
  DeploymentFilesResponse,
  DeploySiteResponse,
  SiteDeploymentResponse,
} from "./deployments.ts";
import type { CustomDomainCapabilityResponse, DomainClaimResponse } from "./domains.ts";
import type { GroupsResponse } from "./groups.ts";
import type { HostingCapabilityResponse } from "./hosting.ts";
import type { LimitsResponse } from "./limits.ts";
import type { MemberResponse } from "./members.ts";
import type { NodeResponse } from "./nodes.ts";
import type { ProtectedResource as ProtectedResourceSchema } from "./oauth.ts";
import type { PasskeyResponse, SignInMethodsResponse } from "./passkeys.ts";
import type { AliasResponse, PreviewPolicyResponse } from "./previews.ts";
import type { CreatePublisherRequest, PublisherResponse } from "./publishers.ts";
import type { DeploymentReportResponse } from "./reports.ts";
import type { RetentionPolicyRequest, RetentionPreviewResponse, RetentionResponse } from "./retention.ts";
import type { CreatedShareResponse, CreateShareRequest, ShareResponse } from "./shares.ts";
import type { SharedSiteResponse, SiteFiguresResponse, SiteResponse } from "./sites.ts";
import type { VersionResponse } from "./system.ts";
import type { CreatedDeploymentTokenResponse, DeploymentTokenResponse } from "./tokens.ts";
import type { VisitExplanationResponse } from "./visit-explanation.ts";
import type { WebhookDeliveryResponse, WebhookResponse, WebhookSecretResponse } from "./webhooks.ts";

/** The bodies of the API, for the dashboard and the command line. Types only, so that nothing gets into a bundle. */
export type User = typeof SignedInUser.static;
export type Site = typeof SiteResponse.static;
/** The additional data of a site in the list. */
export type SiteFigures = typeof SiteFiguresResponse.static;
/** A private site of another owner that the user may view. */
export type Member = typeof MemberResponse.static;
/** The groups of the signed-in user. */
export type Groups = typeof GroupsResponse.static;
export type SharedSite = typeof SharedSiteResponse.static;
export type Deployment = typeof SiteDeploymentResponse.static;
/** `line` is 0 for the whole file. */
export type Warning = Deployment["warnings"][number];
export type DeploymentChanges = typeof DeploymentChangesResponse.static;
/** A page of what a folder has, or of the files that a search finds. */
export type DeploymentFiles = typeof DeploymentFilesResponse.static;
export type FileEntry = DeploymentFiles["entries"][number];
export type DeploymentReport = typeof DeploymentReportResponse.static;
export type ReportFinding = DeploymentReport["findings"][number];
export type DeployResult = typeof DeploySiteResponse.static;
/** In `site_url`, `{site}` stands for the site's name. */
export type HostingCapability = typeof HostingCapabilityResponse.static;
export type Limits = typeof LimitsResponse.static;
/** The server's version, and where to get its command-line client. */
export type VersionReport = typeof VersionResponse.static;

export type Alias = typeof AliasResponse.static;
export type PreviewPolicy = typeof PreviewPolicyResponse.static;
export type Share = typeof ShareResponse.static;
export type ShareRequest = typeof CreateShareRequest.static;
export type CreatedShare = typeof CreatedShareResponse.static;
export type Publisher = typeof PublisherResponse.static;
export type PublisherRequest = typeof CreatePublisherRequest.static;

export type RetentionPolicy = typeof RetentionPolicyRequest.static;
export type Retention = typeof RetentionResponse.static;
export type RetentionPreview = typeof RetentionPreviewResponse.static;
export type AuditEntry = typeof AuditEntryResponse.static;

export type Person = typeof ProviderUserResponse.static;
export type Access = typeof SiteAccessResponse.static;
export type Reader = typeof SiteReaderResponse.static;
export type ProtectedResource = typeof ProtectedResourceSchema.static;
export type Session = typeof SessionResponse.static;
export type Passkey = typeof PasskeyResponse.static;
export type SignInMethods = typeof SignInMethodsResponse.static;
export type DeviceAuthorization = typeof StartDeviceResponse.static;
export type SessionGrant = typeof PollDeviceResponse.static;
/** A token's times are empty strings if it was never used or never expires. */
export type DeploymentToken = typeof DeploymentTokenResponse.static;
export type CreatedToken = typeof CreatedDeploymentTokenResponse.static;

/** `events` is null for everything. */
export type Webhook = typeof WebhookResponse.static;
export type WebhookWithSecret = typeof WebhookSecretResponse.static;
export type WebhookDelivery = typeof WebhookDeliveryResponse.static;

export type DomainClaim = typeof DomainClaimResponse.static;
export type DomainMode = DomainClaim["mode"];
export type ProxyDiagnostics = NonNullable<DomainClaim["proxy_diagnostics"]>;
export type DiagnosticComponent = ProxyDiagnostics["dns"];
export type DomainCapability = typeof CustomDomainCapabilityResponse.static;

/** A user as operators see them. */
export type Account = typeof AdminUserResponse.static;
export type AccountList = typeof AdminUsersResponse.static;
export type Invitation = typeof InvitationResponse.static;
export type PasswordLink = typeof PasswordLinkResponse.static;
export type OperatedSite = typeof AdminSiteResponse.static;
export type OperatedSiteList = typeof AdminSitesResponse.static;
export type TransferredSite = typeof TransferResponse.static;
export type Totals = typeof TotalsResponse.static;
export type ServerSetting = typeof SettingResponse.static;
export type Job = typeof JobResponse.static;
export type ClusterNode = typeof NodeResponse.static;
export type Metrics = typeof MetricsResponse.static;
export type Examination = typeof DoctorResponse.static;
export type BackupList = typeof BackupsResponse.static;
export type Backup = BackupList["backups"][number];

export type Analytics = typeof AnalyticsResponse.static;
export type DayFigures = Analytics["days"][number];
export type VisitExplanation = typeof VisitExplanationResponse.static;
