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

export interface Session {
  readonly id: number;
  readonly client_name: string;
  readonly address: string | null;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
  readonly current: boolean;
}
