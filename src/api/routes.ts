import { Elysia } from "elysia";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import { accessRoutes } from "./routes/access.ts";
import { analyticsRoutes } from "./routes/analytics.ts";
import { auditRoutes } from "./routes/audit.ts";
import { authRoutes } from "./routes/auth.ts";
import { deployRoutes } from "./routes/deploy.ts";
import { deploymentRoutes } from "./routes/deployments.ts";
import { domainRoutes } from "./routes/domains.ts";
import { hostingRoutes } from "./routes/hosting.ts";
import { limitRoutes } from "./routes/limits.ts";
import { readerRoutes } from "./routes/readers.ts";
import { retentionRoutes } from "./routes/retention.ts";
import { siteRoutes } from "./routes/sites.ts";
import { systemRoutes } from "./routes/system.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { visitExplanationRoutes } from "./routes/visit-explanation.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

/** Every route that is declared as an entry. */
export const routes: readonly Route[] = [...webhookRoutes];

/** The whole API: one line for each noun. */
export function apiRoutes(ports: ApiPorts) {
  return new Elysia()
    .use(deployRoutes(ports))
    .use(siteRoutes(ports))
    .use(deploymentRoutes(ports))
    .use(visitExplanationRoutes(ports))
    .use(retentionRoutes(ports))
    .use(analyticsRoutes(ports))
    .use(auditRoutes(ports))
    .use(hostingRoutes(ports))
    .use(limitRoutes(ports))
    .use(accessRoutes(ports))
    .use(readerRoutes(ports))
    .use(domainRoutes(ports))
    .use(tokenRoutes(ports))
    .use(authRoutes(ports))
    .use(systemRoutes(ports));
}
