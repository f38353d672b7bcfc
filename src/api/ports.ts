import type { BackupPorts } from "../domain/backups/manage.ts";
import type { ClaimPorts } from "../domain/claims/claim-ports.ts";
import type { ListChanges } from "../domain/deployments/changes.ts";
import type { ExplainVisit } from "../domain/deployments/visit-explanation.ts";
import type { EventStreams } from "../domain/events/streams.ts";
import type { LimitsInForce } from "../domain/limits/limits-in-force.ts";
import type { Rates } from "../domain/limits/rate-limit.ts";
import type { Manifest } from "../domain/model/manifest.ts";
import type { Quota } from "../domain/model/quota.ts";
import type { PasskeySupport } from "../domain/model/relying-party.ts";
import type { RetentionPolicy } from "../domain/model/retention.ts";
import type { SettingInForce } from "../domain/model/setting.ts";
import type { SitePolicy } from "../domain/model/site-policy.ts";
import type { Signup } from "../domain/model/user.ts";
import type { UploadLimits } from "../domain/ports/archive.ts";
import type { ClientDocuments } from "../domain/ports/client-documents.ts";
import type { Examiner } from "../domain/ports/examiner.ts";
import type { IdTokens } from "../domain/ports/id-tokens.ts";
import type { IdentityProvider } from "../domain/ports/identity.ts";
import type { Jobs } from "../domain/ports/jobs.ts";
import type { Publisher } from "../domain/ports/publisher.ts";
import type { Spool } from "../domain/ports/spool.ts";
import type { AuditEntry } from "../domain/ports/store/audit.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock, Passwords, Secrets, Throttle } from "../domain/ports/system.ts";
import type { Timers } from "../domain/ports/timers.ts";
import type { Uploads } from "../domain/ports/uploads.ts";
import type { WebAuthn } from "../domain/ports/web-authn.ts";
import type { WebhookSender } from "../domain/ports/webhooks.ts";
import type { Downloads } from "./downloads/downloads.ts";
import type { Links } from "./schemas/links.ts";

/** Whether a load balancer should send visits, and why not. */
type Readiness = "ready" | "draining" | "isolated";

/** Dependencies of the API. */
export interface ApiPorts {
  readonly store: Store;
  readonly publisher: Publisher;
  readonly maintenance: Jobs & Examiner;
  readonly spool: Spool;
  readonly uploads: Uploads;
  readonly timers: Pick<Timers, "wait">;
  readonly eventStreams: Pick<EventStreams, "open">;
  /** The minimum rate of an upload in bytes per second; null for none. */
  readonly minUploadRate: number | null;
  /** Streams a deployment's files as a ZIP archive. */
  readonly exportArchive: (manifest: Manifest) => ReadableStream<Uint8Array>;
  /** Packs files in memory, to be deployed like an upload. Throws `invalid`. */
  readonly packArchive: (
    files: readonly { readonly path: string; readonly bytes: Uint8Array }[],
  ) => Promise<Uint8Array>;
  /** Rejects if the database or the content store cannot be written. */
  readonly checkHealth: () => Promise<void>;
  /** Returns whether a load balancer should send visits: not once the server drains, or is without its database. */
  readonly readiness: () => Readiness;
  readonly provider: IdentityProvider;
  readonly idTokens: IdTokens;
  /** The metadata of agents that describe themselves in a document. */
  readonly clientDocuments: ClientDocuments;
  /** Where agents that register may want their answers. */
  readonly mcp: { readonly on: boolean; readonly redirects: readonly string[] };
  readonly passwords: Passwords;
  /** The relying party of passkeys, or why there are none. */
  readonly passkeys: PasskeySupport;
  readonly webAuthn: WebAuthn;
  readonly signup: Signup;
  /** Returns the site of a host: its own, a deployment's, or a custom domain. */
  readonly siteForHost: (host: string) => Promise<{ readonly siteId: number; readonly private: boolean } | null>;
  readonly explain: ExplainVisit;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly claims: ClaimPorts;
  /** Returns why a webhook cannot have a URL. */
  readonly sender: Pick<WebhookSender, "refusal">;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** Who may make sites public, and what new sites are. */
  readonly policy: SitePolicy;
  readonly limits: UploadLimits;
  /** The maximum length of a URL with its query, in characters. Longer ones get 414. */
  readonly maxUrlLength: number;
  /** All effective limits and rates, for users. */
  readonly limitsInForce: LimitsInForce;
  /** The retention policy of sites without their own. */
  readonly retention: RetentionPolicy;
  /** The quota of users without their own. */
  readonly quota: Quota;
  readonly rates: Rates;
  /** Limits the calls of each credential; null for no limit. */
  readonly throttle: Throttle | null;
  readonly links: Links;
  /** The label of the base host below the sites domain; null if the base host is elsewhere. */
  readonly ownLabel: string | null;
  /** True if operators have the console and its API. */
  readonly admin: boolean;
  /** The destination and the schedule of the server's backups. */
  readonly backups: BackupPorts["backups"];
  /** Each setting with its source, for operators. */
  readonly settings: readonly SettingInForce[];
  readonly version: { readonly version: string; readonly commit: string };
  /** The clients that the server offers; null for none. */
  readonly downloads: Downloads | null;
  /** Logs an unexpected error. */
  readonly report: (error: unknown) => void;
}

/** Dependencies of handlers: the ports, and values that are derived from them once. */
export interface RoutePorts extends ApiPorts {
  readonly listChanges: ListChanges;
  /** Describes an audit record in a sentence. */
  readonly summaryOf: (record: Pick<AuditEntry, "action" | "subject">) => string;
}
