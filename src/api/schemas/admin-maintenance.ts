import { Type as t } from "@sinclair/typebox";
import { formatDuration } from "../../domain/duration.ts";
import type { JobState } from "../../domain/ports/jobs.ts";
import { Moment, momentOrNull, orNull, TextOrNull } from "./values.ts";

export const JobResponse = t.Object(
  {
    name: t.String(),
    every: t.String({ description: "Time from the end of a run to the next one" }),
    last_run_at: orNull(Moment, { description: "When the latest run that ended began; null before the first one" }),
    last_duration_ms: orNull(t.Integer()),
    last_error: TextOrNull,
    next_run_at: orNull(Moment, { description: "Null while it runs" }),
    running: t.Boolean(),
  },
  {
    title: "JobResponse",
    examples: [
      {
        name: "sweep",
        every: "1h",
        last_run_at: "2026-11-20T16:05:12.418Z",
        last_duration_ms: 1240,
        last_error: null,
        next_run_at: "2026-11-20T17:05:13.658Z",
        running: false,
      },
    ],
  },
);

export function jobResponse(job: JobState): typeof JobResponse.static {
  return {
    name: job.name,
    every: formatDuration(job.every),
    last_run_at: momentOrNull(job.lastRunAt),
    last_duration_ms: job.lastDurationMs,
    last_error: job.lastError,
    next_run_at: momentOrNull(job.nextRunAt),
    running: job.running,
  };
}
