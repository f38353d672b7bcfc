import { makeSummaryOf } from "../audit.ts";
import { dashboardRoutes } from "../dashboard/routes.ts";
import type { Route } from "../route.ts";
import { accessRoutes } from "./access.ts";
import { adminRoutes } from "./admin.ts";
import { adminMaintenanceRoutes } from "./admin-maintenance.ts";
import { analyticsRoutes } from "./analytics.ts";
import { auditRoutes } from "./audit.ts";
import { authRoutes } from "./auth.ts";
import { backupRoutes } from "./backups.ts";
import { deployRoutes } from "./deploy.ts";
import { deploymentRoutes } from "./deployments.ts";
import { deviceRoutes } from "./device.ts";
import { domainRoutes } from "./domains.ts";
import { downloadRoutes } from "./downloads.ts";
import { eventRoutes } from "./events.ts";
import { hostingRoutes } from "./hosting.ts";
import { limitRoutes } from "./limits.ts";
import { mcpRoutes } from "./mcp.ts";
import { memberRoutes } from "./members.ts";
import { nodeRoutes } from "./nodes.ts";
import { oauthRoutes } from "./oauth.ts";
import { accountLinkPages } from "./pages/account-link.ts";
import { authorizePages } from "./pages/authorize.ts";
import { devicePages } from "./pages/device.ts";
import { setupPages } from "./pages/setup.ts";
import { signInPages } from "./pages/sign-in.ts";
import { visitPages } from "./pages/visit.ts";
import { passkeyRoutes } from "./passkeys.ts";
import { previewRoutes } from "./previews.ts";
import { publisherRoutes } from "./publishers.ts";
import { readerRoutes } from "./readers.ts";
import { reportRoutes } from "./reports.ts";
import { retentionRoutes } from "./retention.ts";
import { shareRoutes } from "./shares.ts";
import { siteRoutes } from "./sites.ts";
import { systemRoutes } from "./system.ts";
import { tokenRoutes } from "./tokens.ts";
import { visitExplanationRoutes } from "./visit-explanation.ts";
import { webhookRoutes } from "./webhooks.ts";

/** The routes for agents, which an operator can turn off. */
export const agentRoutes: readonly Route[] = [...oauthRoutes, ...mcpRoutes, ...authorizePages];

/** The routes of the base host, in the order of the OpenAPI document. The document itself is not among them. */
export const routes: readonly Route[] = [
  ...deployRoutes,
  ...siteRoutes,
  ...deploymentRoutes,
  ...reportRoutes,
  ...previewRoutes,
  ...visitExplanationRoutes,
  ...retentionRoutes,
  ...analyticsRoutes,
  ...auditRoutes,
  ...hostingRoutes,
  ...limitRoutes,
  ...accessRoutes,
  ...readerRoutes,
  ...memberRoutes,
  ...shareRoutes,
  ...domainRoutes,
  ...tokenRoutes,
  ...publisherRoutes,
  ...webhookRoutes,
  ...deviceRoutes,
  ...oauthRoutes,
  ...authRoutes,
  ...passkeyRoutes,
  ...adminRoutes,
  ...adminMaintenanceRoutes,
  ...nodeRoutes,
  ...eventRoutes,
  ...backupRoutes,
  ...systemRoutes,
  ...downloadRoutes,
  ...signInPages,
  ...devicePages,
  ...authorizePages,
  ...mcpRoutes,
  ...setupPages,
  ...accountLinkPages,
  ...visitPages,
  ...dashboardRoutes,
];

/** Describes an audit record in a sentence. */
export const summaryOf = makeSummaryOf(routes);
