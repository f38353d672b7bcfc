import { makeSummaryOf } from "./audit.ts";
import { dashboardRoutes } from "./dashboard/routes.ts";
import type { Route } from "./route.ts";
import { accessRoutes } from "./routes/access.ts";
import { adminRoutes } from "./routes/admin.ts";
import { adminMaintenanceRoutes } from "./routes/admin-maintenance.ts";
import { analyticsRoutes } from "./routes/analytics.ts";
import { auditRoutes } from "./routes/audit.ts";
import { authRoutes } from "./routes/auth.ts";
import { backupRoutes } from "./routes/backups.ts";
import { deployRoutes } from "./routes/deploy.ts";
import { deploymentRoutes } from "./routes/deployments.ts";
import { deviceRoutes } from "./routes/device.ts";
import { documentRoutes } from "./routes/documents.ts";
import { domainRoutes } from "./routes/domains.ts";
import { eventRoutes } from "./routes/events.ts";
import { hostingRoutes } from "./routes/hosting.ts";
import { limitRoutes } from "./routes/limits.ts";
import { accountLinkPages } from "./routes/pages/account-link.ts";
import { devicePages } from "./routes/pages/device.ts";
import { setupPages } from "./routes/pages/setup.ts";
import { signInPages } from "./routes/pages/sign-in.ts";
import { visitPages } from "./routes/pages/visit.ts";
import { previewRoutes } from "./routes/previews.ts";
import { publisherRoutes } from "./routes/publishers.ts";
import { readerRoutes } from "./routes/readers.ts";
import { retentionRoutes } from "./routes/retention.ts";
import { shareRoutes } from "./routes/shares.ts";
import { siteRoutes } from "./routes/sites.ts";
import { systemRoutes } from "./routes/system.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { visitExplanationRoutes } from "./routes/visit-explanation.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

/** All routes of the base host, in the order of the OpenAPI document. */
export const routes: readonly Route[] = [
  ...deployRoutes,
  ...siteRoutes,
  ...deploymentRoutes,
  ...previewRoutes,
  ...visitExplanationRoutes,
  ...retentionRoutes,
  ...analyticsRoutes,
  ...auditRoutes,
  ...hostingRoutes,
  ...limitRoutes,
  ...accessRoutes,
  ...readerRoutes,
  ...shareRoutes,
  ...domainRoutes,
  ...tokenRoutes,
  ...publisherRoutes,
  ...webhookRoutes,
  ...deviceRoutes,
  ...authRoutes,
  ...adminRoutes,
  ...adminMaintenanceRoutes,
  ...eventRoutes,
  ...backupRoutes,
  ...systemRoutes,
  ...documentRoutes,
  ...signInPages,
  ...devicePages,
  ...setupPages,
  ...accountLinkPages,
  ...visitPages,
  ...dashboardRoutes,
];

/** Describes an audit record in a sentence. */
export const summaryOf = makeSummaryOf(routes);
