import { DomainError } from "../../domain/errors.ts";
import { reply, route } from "../route.ts";
import {
  HealthResponse,
  NotReadyResponse,
  ReadyResponse,
  UnhealthyResponse,
  VersionResponse,
} from "../schemas/system.ts";
import { clientsOf } from "./downloads.ts";

const common = { tag: "System", auth: "public" } as const;
const unavailable = { status: 503, headers: { "retry-after": "5" } };

const REASONS = {
  draining: "the server is stopping",
  isolated: "this node has no connection to the database",
} as const;

export const systemRoutes = [
  route({
    ...common,
    endpoint: "GET /health",
    summary: "Check the server's health",
    response: { 200: HealthResponse, 503: UnhealthyResponse },
    handler: async ({ ports }) => {
      try {
        await ports.checkHealth();
        return { status: "ok" as const };
      } catch (error) {
        if (!(error instanceof DomainError)) ports.report(error);
        const detail = error instanceof DomainError ? error.detail : "the data folder cannot be written";
        return reply({ status: "unavailable", detail }, unavailable);
      }
    },
  }),

  route({
    ...common,
    endpoint: "GET /ready",
    summary: "Check whether the server accepts visits",
    description: "Answered at once and without the disk, for balancers and orchestrators.",
    response: { 200: ReadyResponse, 503: NotReadyResponse },
    handler: ({ ports }) => {
      const status = ports.readiness();
      return status === "ready" ? { status } : reply({ status, detail: REASONS[status] }, unavailable);
    },
  }),

  route({
    ...common,
    endpoint: "GET /version",
    summary: "Report the server's version, and where to get its client",
    response: { 200: VersionResponse },
    handler: async ({ ports }) => ({ ...ports.version, client: await clientsOf(ports) }),
  }),
];
