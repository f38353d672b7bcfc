// What the API answers with; /openapi.json describes every field.

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
  /** Only where the operator froze the site. */
  readonly frozen?: { readonly since: string; readonly reason: string | null };
}

export interface Warning {
  readonly file: string;
  readonly line: number;
  readonly message: string;
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

export interface RetentionPolicy {
  readonly keep_last: number | null;
  readonly keep_days: number | null;
}

export interface Retention {
  /** Null where the server's rule for all sites holds. */
  readonly policy: RetentionPolicy | null;
  readonly effective: RetentionPolicy;
  readonly pinned: readonly number[];
}

export interface RetentionPreview {
  readonly deployments: readonly number[];
  readonly bytes: number;
}

export interface AuditEntry {
  readonly id: number;
  readonly at: string;
  readonly kind: "session" | "deployment_token" | "operator" | "visitor";
  readonly actor: string;
  readonly address: string;
  readonly summary: string;
}

export interface DeploymentChanges {
  readonly deployment_number: number;
  readonly compared_with: number | null;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly files: readonly { readonly path: string; readonly change: "added" | "changed" | "removed" }[];
}

export interface DeployResult {
  readonly deployment_number: number;
  readonly site_name: string;
  readonly private: boolean;
  readonly url: string;
}

export interface HostingCapability {
  /** `{site}` stands for the site's name. */
  readonly site_url: string;
  readonly limits: {
    readonly archive_bytes: number;
    readonly site_bytes: number;
    readonly file_bytes: number;
    readonly files: number;
  };
}

interface Use {
  readonly used: number;
  readonly limit: number | null;
}

export interface Limits {
  readonly own: { readonly sites: Use; readonly bytes: Use } | null;
}

export interface Person {
  readonly provider_login: string;
  readonly provider_name: string | null;
  readonly avatar_url: string | null;
}

export interface Reader extends Person {
  readonly id: number;
}

/** A token's times are empty strings where there is none: never used, never expires. */
export interface DeploymentToken {
  readonly id: string;
  readonly name: string;
  readonly site_name: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string;
}

export interface CreatedToken {
  readonly id: string;
  readonly name: string;
  readonly site_name: string;
  readonly token: string;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** null is everything. */
  readonly events: readonly string[] | null;
  readonly enabled: boolean;
  readonly failing_since: string | null;
  readonly disabled_reason: string | null;
}

export interface WebhookWithSecret extends Webhook {
  readonly secret: string;
  readonly previous_secret_until: string | null;
}

export interface WebhookDelivery {
  readonly id: number;
  readonly event_type: string;
  readonly event_at: string;
  readonly status: "pending" | "delivered" | "failed";
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly duration_ms: number | null;
}

export interface Session {
  readonly id: number;
  readonly client_name: string;
  readonly address: string | null;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
  readonly current: boolean;
}

export type DomainMode = "direct" | "proxy";

export interface DiagnosticComponent {
  readonly status: string;
  readonly error: string | null;
}

export interface ProxyDiagnostics {
  readonly checked_at: string;
  readonly dns: DiagnosticComponent;
  readonly edge_tls: DiagnosticComponent;
  readonly origin: DiagnosticComponent;
  readonly ownership: DiagnosticComponent;
  readonly edge_http: DiagnosticComponent & {
    readonly address: string | null;
    readonly edge_cache_status: string | null;
    readonly redirect_location: string | null;
    readonly status_code: number | null;
  };
  readonly http_forwarding: DiagnosticComponent & { readonly status_code: number | null };
}

export interface DomainClaim {
  readonly id: number;
  readonly hostname: string;
  readonly status: "pending" | "verified" | "expired" | "cancelled";
  readonly connection_status: "waiting_for_dns" | "securing" | "connected" | "updating" | "action_needed";
  readonly mode: DomainMode;
  readonly effective_mode: DomainMode | null;
  readonly target_mode: DomainMode | null;
  readonly observed_mode: DomainMode | "mixed" | "unsupported" | "unavailable" | null;
  readonly route_status: "not_routed" | "publishing" | "routed" | "removing" | "removed";
  readonly verification: { readonly name: string; readonly type: "TXT"; readonly value: string };
  readonly challenge_seen_at: string | null;
  readonly expires_at: string;
  readonly activated_at: string | null;
  readonly activation_error: string | null;
  readonly last_checked_at: string | null;
  readonly last_error: string | null;
  readonly route_error: string | null;
  readonly verified_at: string | null;
  readonly withdrawn_at: string | null;
  readonly transition_deadline_at: string | null;
  readonly transition_error: string | null;
  readonly proxy_diagnostics: ProxyDiagnostics | null;
}

export interface DomainCapability {
  readonly status: "ready" | "disabled" | "not_ready";
  readonly routing_targets: readonly { readonly type: string; readonly value: string }[];
  readonly automatic: { readonly enabled: boolean; readonly issuer: string | null };
}

export interface Figures {
  readonly views: number;
  readonly visitors: number;
  readonly bot_views: number;
  readonly bytes: number;
}

export type DayFigures = Figures & { readonly day: string };

/** What visitors of an address get, and why. */
export interface VisitExplanation {
  readonly url: string;
  readonly status: number;
  readonly reason: string;
  readonly file: string | null;
  readonly rule: { readonly line: number; readonly text: string } | null;
  readonly header_lines: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
}

export interface Analytics {
  readonly from: string;
  readonly to: string;
  readonly total: Figures;
  readonly days: readonly DayFigures[];
  readonly pages: readonly { readonly path: string; readonly views: number }[];
  readonly referrers: readonly { readonly host: string; readonly views: number }[];
  readonly not_found: readonly { readonly path: string; readonly requests: number }[];
}
