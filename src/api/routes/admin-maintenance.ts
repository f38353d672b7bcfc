import { Type as t } from "@sinclair/typebox";
import { runJob } from "../../domain/operators/jobs.ts";
import { readMetrics } from "../../domain/operators/metrics.ts";
import { reply, route } from "../route.ts";
import {
  DoctorResponse,
  doctorResponse,
  JobResponse,
  jobResponse,
  MetricsResponse,
  metricsResponse,
} from "../schemas/admin-maintenance.ts";
import { momentsOf, momentsQuery } from "../schemas/params.ts";

const common = { tag: "Operators", auth: "operator" } as const;

/** The state of the server, and its recurring jobs. */
export const adminMaintenanceRoutes = [
  route({
    ...common,
    endpoint: "GET /admin/jobs",
    summary: "List the server's jobs",
    description: "Background jobs, with the latest run of each, which is kept over restarts.",
    response: { 200: t.Array(JobResponse) },
    handler: async ({ ports }) => (await ports.maintenance.listJobs()).map(jobResponse),
  }),

  route({
    ...common,
    endpoint: "POST /admin/jobs/:job_name/run",
    summary: "Run a job now",
    description: "Returns as soon as the job has started.",
    response: { 202: JobResponse },
    errors: { 404: "the job does not exist", 409: "the job is running", 503: "another node runs the jobs" },
    audit: ({ job_name }) => `Ran the job ${job_name}`,
    handler: async ({ caller, params, ports }) =>
      reply(jobResponse(await runJob(ports, caller, params.job_name)), { status: 202 }),
  }),

  route({
    ...common,
    endpoint: "GET /admin/metrics",
    summary: "Get the server's metrics over time",
    description:
      "A value a minute within the last 24 hours, else a value an hour within the last 30 days; null where nothing was measured. Counts are those of each step, other values those of its end.",
    query: momentsQuery(
      { description: "By default 24 hours before `to`" },
      { description: "Excluded; by default now" },
    ),
    response: { 200: MetricsResponse },
    handler: async ({ caller, query, ports }) => metricsResponse(await readMetrics(ports, caller, momentsOf(query))),
  }),

  route({
    ...common,
    endpoint: "GET /admin/doctor",
    summary: "Check the server",
    description: "Runs the checks of `vitrine doctor`. The findings of a moment ago are given again.",
    response: { 200: DoctorResponse },
    errors: { 503: "the checks could not be run, or took too long" },
    handler: async ({ ports }) => doctorResponse(await ports.maintenance.examine()),
  }),
];
