import type { SiteAccessResponse, SiteReaderResponse } from "../../http/schemas/access.ts";
import type { ApiUser, PollDeviceResponse, StartDeviceResponse } from "../../http/schemas/auth.ts";
import type { DeploySiteResponse, SiteDeploymentResponse } from "../../http/schemas/deployments.ts";
import type { SiteResponse } from "../../http/schemas/sites.ts";
import type { CreatedDeploymentTokenResponse, DeploymentTokenResponse } from "../../http/schemas/tokens.ts";

/** The API's answers, by the names that people use at a terminal. */
export type User = typeof ApiUser.static;
export type Site = typeof SiteResponse.static;
export type DeployResult = typeof DeploySiteResponse.static;
export type Deployment = typeof SiteDeploymentResponse.static;
/** `line` is 0 where the whole file is meant. */
export type Warning = Deployment["warnings"][number];

export type Access = typeof SiteAccessResponse.static;
export type Reader = typeof SiteReaderResponse.static;
/** `expires_at` and `last_used_at` are empty where there is no such time. */
export type DeploymentToken = typeof DeploymentTokenResponse.static;
export type CreatedDeploymentToken = typeof CreatedDeploymentTokenResponse.static;
export type DeviceAuthorization = typeof StartDeviceResponse.static;
export type SessionGrant = typeof PollDeviceResponse.static;

interface Diagnostic {
  readonly status: string;
  readonly error: string | null;
}

export interface ProxyDiagnostics {
  readonly checked_at: string;
  readonly consecutive_failures: number;
  readonly generation: number;
  readonly ranges_version: string | null;
  readonly dns: Diagnostic;
  readonly edge_tls: Diagnostic;
  readonly origin: Diagnostic;
  readonly ownership: Diagnostic;
  readonly edge_http: Diagnostic & {
    readonly address: string | null;
    readonly edge_cache_status: string | null;
    readonly edge_ray: string | null;
    readonly redirect_location: string | null;
    readonly status_code: number | null;
  };
  readonly http_forwarding: Diagnostic & { readonly status_code: number | null };
}

type Mode = "direct" | "proxy";

export interface DomainClaim {
  readonly id: number;
  readonly hostname: string;
  readonly site_name: string | null;
  readonly status: "pending" | "verified" | "expired" | "cancelled";
  readonly connection_status: "waiting_for_dns" | "securing" | "connected" | "updating" | "action_needed";
  readonly mode: Mode;
  readonly effective_mode: Mode | null;
  readonly target_mode: Mode | null;
  readonly observed_mode: Mode | "mixed" | "unsupported" | "unavailable" | null;
  readonly route_status: "not_routed" | "publishing" | "routed" | "removing" | "removed";
  readonly route_generation: number;
  readonly route_error: string | null;
  readonly verification: { readonly name: string; readonly type: "TXT"; readonly value: string };
  readonly challenge_path: string | null;
  readonly challenge_seen_at: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly activated_at: string | null;
  readonly activation_checked_at: string | null;
  readonly activation_error: string | null;
  readonly last_checked_at: string | null;
  readonly last_error: string | null;
  readonly verified_at: string | null;
  readonly withdrawn_at: string | null;
  readonly removal_requested_at: string | null;
  readonly transition_started_at: string | null;
  readonly transition_deadline_at: string | null;
  readonly transition_error: string | null;
  readonly proxy_diagnostics: ProxyDiagnostics | null;
}

export interface DomainCapability {
  readonly status: string;
  readonly routing_targets: readonly { readonly type: string; readonly value: string }[];
}
