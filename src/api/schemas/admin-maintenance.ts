import { Type as t } from "@sinclair/typebox";
import { formatDuration } from "../../domain/duration.ts";
import type { MetricHistory } from "../../domain/operators/metrics.ts";
import type { Examination } from "../../domain/ports/examiner.ts";
import type { JobState } from "../../domain/ports/jobs.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { Moment, momentOrNull, namedSchema, oneOf, orNull, TextOrNull } from "./values.ts";

export const JobResponse = namedSchema(
  "JobResponse",
  {
    name: t.String(),
    title: t.String({ description: "What the job does" }),
    every: t.String({ description: "Time from the end of a run to the next one" }),
    last_run_at: orNull(Moment, { description: "When the latest run that ended began; null before the first one" }),
    last_duration_ms: orNull(t.Integer()),
    last_error: TextOrNull,
    next_run_at: orNull(Moment, { description: "Null while it runs" }),
    running: t.Boolean(),
  },
  {
    name: "sweep",
    title: "Sweep unused content",
    every: "1h",
    last_run_at: "2026-11-20T16:05:12.418Z",
    last_duration_ms: 1240,
    last_error: null,
    next_run_at: "2026-11-20T17:05:13.658Z",
    running: false,
  },
);

export function jobResponse(job: JobState): typeof JobResponse.static {
  return {
    name: job.name,
    title: job.title,
    every: formatDuration(job.every),
    last_run_at: momentOrNull(job.lastRunAt),
    last_duration_ms: job.lastDurationMs,
    last_error: job.lastError,
    next_run_at: momentOrNull(job.nextRunAt),
    running: job.running,
  };
}

/** OpenAPI 3.0 has no tuples. */
const Point = t.Unsafe<[number, number | null]>(
  t.Array(orNull(t.Number()), {
    minItems: 2,
    maxItems: 2,
    description: "The beginning of the step, in Unix seconds, and the value",
  }),
);

export const MetricsResponse = namedSchema(
  "MetricsResponse",
  {
    step_seconds: t.Integer(),
    series: t.Array(t.Object({ name: t.String(), unit: t.String(), points: t.Array(Point) })),
    starts: t.Array(t.Integer(), { description: "When the server started, in Unix seconds" }),
  },
  {
    step_seconds: 60,
    series: [
      {
        name: "requests",
        unit: "count",
        points: [
          [1763568000, 8412],
          [1763568060, null],
        ],
      },
    ],
    starts: [1763568101],
  },
);

export function metricsResponse({ stepSeconds, series, starts }: MetricHistory): typeof MetricsResponse.static {
  return {
    step_seconds: stepSeconds,
    series: series.map(({ name, unit, points }) => ({ name, unit, points: points.map(([at, value]) => [at, value]) })),
    starts: starts.map((at) => Math.floor(at / 1000)),
  };
}

export const DoctorResponse = namedSchema(
  "DoctorResponse",
  {
    ok: t.Boolean({ description: "Whether no finding is a problem" }),
    checked_at: Moment,
    findings: t.Array(
      t.Object({
        check: t.String(),
        verdict: oneOf(["ok", "warning", "problem"]),
        detail: t.String(),
        advice: TextOrNull,
      }),
    ),
  },
  {
    ok: true,
    checked_at: "2026-11-20T16:05:12.418Z",
    findings: [
      {
        check: "certificate",
        verdict: "warning",
        detail: "docs.example.org expires in 9 days: no address answers at port 80",
        advice: "renew it",
      },
    ],
  },
);

export function doctorResponse({ checkedAt, findings }: Examination): typeof DoctorResponse.static {
  const ok = findings.every(({ verdict }) => verdict !== "problem");
  return { ok, checked_at: timestamp(checkedAt), findings: findings.map((finding) => ({ ...finding })) };
}
