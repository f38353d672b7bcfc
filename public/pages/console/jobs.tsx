import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useReloads } from "../../api/reloads.ts";
import { useResource } from "../../api/resource.ts";
import type { Job } from "../../api/types.ts";
import { sentence } from "../../format.ts";
import { Ago, Due, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Card } from "../../parts/card.tsx";
import { Icon } from "../../parts/icons.tsx";
import { TableHead } from "../../parts/table.tsx";
import { announce, attempt } from "../../parts/toasts.tsx";
import { consolePath } from "../../router.ts";
import { byInterest, durationText, everyText } from "./job-words.ts";

/** The number of jobs in the overview. */
const FEW = 6;
const COLUMNS = [["Job"], ["Last run", "j-last"], ["Duration", "j-took num"], ["Next run", "j-next"]] as const;

/** The most interesting jobs, and a link to all of them. */
export function JobsCard(): JSX.Element {
  const jobs = useResource<Job[]>("/admin/jobs");
  const all = jobs.data && (
    <a class="button quiet small" href={consolePath("jobs")}>
      All {jobs.data.length}
    </a>
  );
  return (
    <Card title="Jobs" actions={all}>
      <Loaded resource={jobs} what="the jobs" skeleton={<SkeletonRows rows={FEW} />}>
        {(data) => <JobTable jobs={byInterest(data).slice(0, FEW)} reload={jobs.reload} />}
      </Loaded>
    </Card>
  );
}

/** All jobs of the server. */
export function JobsTab(): JSX.Element {
  const jobs = useResource<Job[]>("/admin/jobs");
  return (
    <>
      <div class="head">
        <h1 class="grow" tabIndex={-1}>
          Jobs
        </h1>
      </div>
      <p class="muted">Background jobs. A failed job is retried, later each time.</p>
      <Loaded resource={jobs} what="the jobs" skeleton={<SkeletonRows rows={12} />}>
        {(data) => (
          <div class="card">
            <JobTable jobs={byInterest(data)} reload={jobs.reload} />
          </div>
        )}
      </Loaded>
    </>
  );
}

/** Reload interval while a job is running. */
const WATCH_MS = 2000;

function JobTable({ jobs, reload }: { jobs: readonly Job[]; reload: () => Promise<void> }): JSX.Element {
  useReloads(
    jobs.some(({ running }) => running),
    reload,
    WATCH_MS,
  );
  return (
    <table class="table jobs compact as-list" aria-label="Jobs">
      <thead>
        <TableHead columns={COLUMNS} actions="j-more" />
      </thead>
      <tbody>
        {jobs.map((job) => (
          <JobRow key={job.name} job={job} reload={reload} />
        ))}
      </tbody>
    </table>
  );
}

function JobRow({ job, reload }: { job: Job; reload: () => Promise<void> }): JSX.Element {
  const name = job.title;
  const [starting, setStarting] = useState(false);
  const busy = starting || job.running;
  const run = async () => {
    if (busy) return;
    setStarting(true);
    const started = await attempt(() => call("POST", `/admin/jobs/${encodeURIComponent(job.name)}/run`));
    await reload();
    setStarting(false);
    if (started) announce(`${name}: started.`);
  };
  return (
    <tr>
      <th scope="row" class="j-name">
        <span class="line nowrap-line">
          <JobState job={job} />
          <span class="cut">
            <span class="strong">{name}</span> <span class="faint">{everyText(job.every)}</span>
          </span>
        </span>
        {job.last_error !== null && (
          <span class="tiny bad cut job-error" title={job.last_error}>
            {sentence(job.last_error)}
          </span>
        )}
      </th>
      <td class="j-last muted">{job.last_run_at === null ? "not yet" : <Ago at={job.last_run_at} />}</td>
      <td class="j-took num muted">{job.last_duration_ms !== null && durationText(job.last_duration_ms)}</td>
      <td class={job.running ? "j-next" : "j-next muted"}>
        {job.running || job.next_run_at === null ? "Running" : <Due at={job.next_run_at} />}
      </td>
      <td class="j-more">
        <button
          type="button"
          class="button quiet small only"
          aria-label={`Run ${name} now`}
          title="Run now"
          aria-disabled={busy}
          onClick={run}
        >
          <Icon name="play" />
        </button>
      </td>
    </tr>
  );
}

function JobState({ job }: { job: Job }): JSX.Element {
  const [tone, icon, word] = job.running
    ? (["accent-text", "refresh", "Running"] as const)
    : job.last_error !== null
      ? (["bad", "warning", "Failed"] as const)
      : (["good", "check", "Done"] as const);
  return (
    <span class={tone}>
      <Icon name={icon} />
      <span class="visually-hidden">{word}</span>
    </span>
  );
}
