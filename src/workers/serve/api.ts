import { type ApiHandler, makeApi } from "../../api/api.ts";
import { makeDownloads } from "../../api/downloads/downloads.ts";
import type { ApiPorts } from "../../api/ports.ts";
import { documentRoutes } from "../../api/reference/routes.ts";
import { agentRoutes, routes } from "../../api/routes/routes.ts";
import { makeLinks } from "../../api/schemas/links.ts";
import { packZip } from "../../archive/zip/pack.ts";
import { writeZip } from "../../archive/zip/write.ts";
import { createPasswords } from "../../clients/identity/passwords.ts";
import { identityProvider } from "../../clients/identity/provider.ts";
import { webAuthn } from "../../clients/identity/web-authn.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { systemTimers } from "../../clients/system/timers.ts";
import { ratesInForce, sitePolicy, standardRetention, uploadLimits, userQuota } from "../../config/policies.ts";
import type { Config } from "../../config/settings.ts";
import { PLATFORM, VERSION } from "../../config/version.ts";
import type { EventStreams } from "../../domain/events/streams.ts";
import { passkeySupport } from "../../domain/model/relying-party.ts";
import type { ContentStore } from "../../domain/ports/content.ts";
import type { Store } from "../../domain/ports/store.ts";
import { ownLabel } from "../../serving/host.ts";
import type { SiteForHost } from "../../serving/site-for-host.ts";
import { healthCheck } from "../../storage/data-folder/health.ts";
import type { DataFolder } from "../../storage/folder/data-folder.ts";
import type { KeptContent } from "../../storage/open.ts";
import { filesystemSpool } from "../../storage/spool/filesystem.ts";
import type { Maintenance } from "../control.ts";
import { backupSchedule, serverBackups } from "../ports/backups.ts";
import { claimPorts } from "../ports/claims.ts";
import { clientDocuments } from "../ports/client-documents.ts";
import { webhookSender } from "../ports/webhooks.ts";
import { limitsInForce } from "./limits.ts";

/** A shared database says nothing about this process, and every node would be restarted when it is away. */
function healthOf(config: Config, folder: DataFolder, store: Store): () => Promise<void> {
  if (config.database !== null) return async () => {};
  return healthCheck(store, config.content === null ? folder.content : folder.cache, performance);
}

/** Ports that are passed on as they are. */
type GivenPorts = Pick<
  ApiPorts,
  "clock" | "explain" | "idTokens" | "publisher" | "readiness" | "report" | "store" | "throttle" | "uploads"
>;

/** The parts of a serving thread that the API needs. */
export interface ApiParts extends GivenPorts {
  readonly config: Config;
  /** The holder of leases. */
  readonly node: string;
  readonly folder: DataFolder;
  readonly content: ContentStore;
  readonly keptContent: KeptContent;
  readonly maintenance: Maintenance;
  readonly siteForHost: SiteForHost;
  readonly eventStreams: EventStreams;
}

/** Connects the API in a serving thread. */
export function composeApi(parts: ApiParts): ApiHandler {
  const { config, node, folder, store, content, keptContent, clock, siteForHost } = parts;
  const passwords = createPasswords();
  const enabled = config.mcp ? routes : routes.filter((route) => !agentRoutes.includes(route));
  return makeApi([...enabled, ...documentRoutes], {
    ...parts,
    spool: filesystemSpool(folder.spool),
    timers: systemTimers,
    minUploadRate: config.minUploadRate,
    checkHealth: healthOf(config, folder, store),
    provider: identityProvider(config, store.users, passwords),
    passwords,
    passkeys: passkeySupport(config.baseUrl),
    webAuthn,
    signup: config.signup,
    siteForHost: async (host) => siteForHost(host),
    sleep: Bun.sleep,
    claims: claimPorts(config, { node, store, clock }),
    sender: webhookSender(config),
    clientDocuments: clientDocuments(config, clock),
    mcp: { on: config.mcp, redirects: config.mcpRedirects },
    secrets: systemSecrets,
    policy: sitePolicy(config),
    limits: uploadLimits(config),
    maxUrlLength: config.maxUrlLength,
    retention: standardRetention(config),
    limitsInForce: limitsInForce(config),
    quota: userQuota(config),
    rates: ratesInForce(config),
    exportArchive: (manifest) => writeZip(manifest.files, content, parts.report),
    packArchive: packZip,
    links: makeLinks(config.baseUrl, config.sitesDomain),
    ownLabel: ownLabel(config.baseUrl, config.sitesDomain),
    admin: config.admin,
    backups: { place: serverBackups(config, keptContent), schedule: backupSchedule(config) },
    settings: config.inForce,
    version: VERSION,
    downloads: config.downloads ? makeDownloads({ ...VERSION, platform: PLATFORM, baseUrl: config.baseUrl }) : null,
  });
}
