import { Elysia } from "elysia";
import { DomainError } from "../../domain/errors.ts";
import { describe } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import {
  HealthResponse,
  NotReadyResponse,
  ReadyResponse,
  UnhealthyResponse,
  VersionResponse,
} from "../schemas/system.ts";

const tags = ["System"];

export function systemRoutes(ports: ApiPorts) {
  return new Elysia()
    .get(
      "/health",
      async ({ set }) => {
        try {
          await ports.checkHealth();
          return { status: "ok" as const };
        } catch (error) {
          if (!(error instanceof DomainError)) ports.report(error);
          set.status = 503;
          set.headers["retry-after"] = "5";
          const detail = error instanceof DomainError ? error.detail : "the data folder cannot be written";
          return { status: "unavailable" as const, detail };
        }
      },
      {
        response: { 200: HealthResponse, 503: UnhealthyResponse },
        detail: describe({ summary: "Check the server's health", tags, credential: null }),
      },
    )
    .get(
      "/ready",
      ({ set }) => {
        if (ports.takesVisits()) return { status: "ready" as const };
        set.status = 503;
        set.headers["retry-after"] = "5";
        return { status: "draining" as const, detail: "the server is stopping" };
      },
      {
        response: { 200: ReadyResponse, 503: NotReadyResponse },
        detail: describe({
          summary: "Check whether the server accepts visits",
          description: "Answered at once and without the disk, for balancers and orchestrators.",
          tags,
          credential: null,
        }),
      },
    )
    .get("/version", () => ports.version, {
      response: { 200: VersionResponse },
      detail: describe({ summary: "Report the server's version", tags, credential: null }),
    });
}
