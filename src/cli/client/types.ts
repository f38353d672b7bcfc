/** The API's answers, as the specification and the contract shape them. */

export interface User {
  readonly login: string;
  readonly name: string | null;
}

export interface Site {
  readonly name: string;
  readonly created: string;
  readonly last_deployed_at: string;
  readonly private: boolean;
  readonly size_bytes: number | null;
  readonly total_views: number;
}

export interface Warning {
  readonly file: string;
  /** 0 where the whole file is meant. */
  readonly line: number;
  readonly message: string;
}

export interface DeployResult {
  readonly deployment_number: number;
  readonly name: string;
  readonly site_name: string;
  readonly private: boolean;
  readonly url: string;
}

export interface Deployment {
  readonly site_name: string;
  readonly deployment_number: number;
  readonly active: boolean;
  readonly created_at: string;
  readonly activated_at: string | null;
  readonly source: "session" | "deployment_token";
  readonly actor: string;
  readonly file_count: number;
  readonly size_bytes: number;
  readonly url: string;
  readonly warnings: readonly Warning[];
}

export interface Access {
  readonly private: boolean;
}

export interface Reader {
  readonly id: number;
  readonly provider_login: string;
  readonly provider_name: string | null;
  readonly avatar_url: string | null;
}

/** `expires_at` and `last_used_at` are empty where there is no such time. */
export interface DeploymentToken {
  readonly id: string;
  readonly name: string;
  readonly site_name: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string;
}

export interface CreatedDeploymentToken {
  readonly id: string;
  readonly name: string;
  readonly site_name: string;
  readonly token: string;
}

interface Diagnostic {
  readonly status: string;
  readonly error: string | null;
}

export interface ProxyDiagnostics {
  readonly dns: Diagnostic;
  readonly edge_tls: Diagnostic;
  readonly origin: Diagnostic;
  readonly ownership: Diagnostic;
  readonly edge_http: Diagnostic;
  readonly http_forwarding: Diagnostic;
}

export interface DomainClaim {
  readonly id: number;
  readonly hostname: string;
  readonly site_name: string | null;
  readonly status: "pending" | "verified" | "expired" | "cancelled";
  readonly connection_status: "waiting_for_dns" | "securing" | "connected" | "updating" | "action_needed";
  readonly effective_mode: "direct" | "proxy" | null;
  readonly target_mode: "direct" | "proxy" | null;
  readonly observed_mode: "direct" | "proxy" | "mixed" | "unsupported" | "unavailable" | null;
  readonly route_status: "not_routed" | "publishing" | "routed" | "removing" | "removed";
  readonly route_error: string | null;
  readonly verification: { readonly name: string; readonly type: "TXT"; readonly value: string };
  readonly challenge_seen_at: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly activated_at: string | null;
  readonly activation_error: string | null;
  readonly last_checked_at: string | null;
  readonly last_error: string | null;
  readonly verified_at: string | null;
  readonly transition_error: string | null;
  readonly proxy_diagnostics: ProxyDiagnostics | null;
}

export interface DomainCapability {
  readonly status: string;
  readonly routing_targets: readonly { readonly type: string; readonly value: string }[];
}

export interface DeviceAuthorization {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  /** Seconds. */
  readonly expires_in: number;
  /** Seconds between two polls. */
  readonly interval: number;
}

export interface SessionGrant {
  readonly access_token: string;
  readonly token_type: string;
  /** Seconds. */
  readonly expires_in: number;
  readonly user: User;
}
