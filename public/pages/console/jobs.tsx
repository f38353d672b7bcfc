import type { JSX } from "preact";
import { call } from "../../api/client.ts";
import { useReloads } from "../../api/reloads.ts";
import { useResource } from "../../api/resource.ts";
import type { Job } from "../../api/types.ts";
import { sentence } from "../../format.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Ago, Due, Head, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Card } from "../../parts/card.tsx";
import { Icon } from "../../parts/icons.tsx";
import { RunState } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { announce } from "../../parts/toasts.tsx";
import { consolePath } from "../../router.ts";
import { byInterest, durationText, paceText } from "./job-words.ts";

/** The number of jobs in the overview. */
const FEW = 6;

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

export function JobsTab(): JSX.Element {
  const jobs = useResource<Job[]>("/admin/jobs");
  return (
    <>
      <Head title="Jobs" />
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
  const run: Column<Job> = {
    key: "run",
    head: "",
    class: "j-more",
    cell: (job) => <RunButton job={job} reload={reload} />,
  };
  return (
    <Table
      label="Jobs"
      class="jobs compact as-list"
      columns={[...COLUMNS, run]}
      rows={jobs}
      keyOf={({ name }) => name}
    />
  );
}

const COLUMNS: readonly Column<Job>[] = [
  { key: "job", head: "Job", isName: true, cell: (job) => <JobName job={job} /> },
  {
    key: "last",
    head: "Last run",
    class: "j-last muted",
    cell: ({ last_run_at }) => (last_run_at === null ? "not yet" : <Ago at={last_run_at} />),
  },
  {
    key: "duration",
    head: "Duration",
    class: "j-took num muted",
    cell: ({ last_duration_ms }) => last_duration_ms !== null && durationText(last_duration_ms),
  },
  {
    key: "next",
    head: "Next run",
    class: "j-next",
    cell: ({ running, next_run_at }) =>
      running || next_run_at === null ? (
        "Running"
      ) : (
        <span class="muted">
          <Due at={next_run_at} />
        </span>
      ),
  },
];

function JobName({ job }: { job: Job }): JSX.Element {
  return (
    <>
      <span class="line nowrap-line">
        <RunState state={job.running ? "running" : job.last_error === null ? "done" : "failed"} />
        <span class="cut">
          <span class="strong">{job.title}</span> <span class="faint">{paceText(job.every)}</span>
        </span>
      </span>
      {job.last_error !== null && (
        <span class="tiny bad cut job-error" title={job.last_error}>
          {sentence(job.last_error)}
        </span>
      )}
    </>
  );
}

function RunButton({ job, reload }: { job: Job; reload: () => Promise<void> }): JSX.Element {
  const run = async () => {
    try {
      await call("POST", `/admin/jobs/${encodeURIComponent(job.name)}/run`);
    } finally {
      await reload();
    }
    announce(`${job.title}: started.`);
  };
  return (
    <ActionButton
      class="quiet small only"
      label={`Run ${job.title} now`}
      title="Run now"
      ready={!job.running}
      run={run}
    >
      <Icon name="play" />
    </ActionButton>
  );
}
