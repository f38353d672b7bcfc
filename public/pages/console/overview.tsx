import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { DAY, MINUTE } from "../../../src/domain/timestamp.ts";
import { useResource } from "../../api/resource.ts";
import type { Metrics, ServerSetting, Totals } from "../../api/types.ts";
import { formatBytes, formatNumber } from "../../format.ts";
import { Loaded } from "../../parts/basics.tsx";
import { Figures, Pending } from "../../parts/card.tsx";
import { Segments } from "../../parts/field.tsx";
import { BackupsCard } from "./backups.tsx";
import { HealthBadge, HealthChecks, useExamination } from "./health.tsx";
import { JobsCard } from "./jobs.tsx";
import { lastOf } from "./metric-tiles.ts";
import { MetricCharts, MetricSkeleton, type Range } from "./metrics.tsx";
import { NodesCard } from "./nodes.tsx";

const RANGES: readonly (readonly [Range, string])[] = [
  ["day", "24 hours"],
  ["month", "30 days"],
];

/** The state of the server, and problems that need action. */
export function OverviewTab(): JSX.Element {
  const [range, setRange] = useState<Range>("day");
  const metrics = useMetrics(range);
  const examination = useExamination(metrics.data !== undefined || metrics.error !== undefined);
  return (
    <>
      <div class="head console-head">
        <h1 tabIndex={-1}>Console</h1>
        <span class="grow muted small cut wide-only">
          <Instance metrics={metrics.data} />
        </span>
        {/* Last, because it appears late and would move what follows it. */}
        <HealthBadge examination={examination.data} />
        <Segments label="Period of the charts" options={RANGES} value={range} choose={setRange} />
      </div>
      <Summary metrics={metrics.data} />
      <Loaded resource={metrics} what="the charts" skeleton={<MetricSkeleton />}>
        {(data) => <MetricCharts metrics={data} range={range} />}
      </Loaded>
      <div class="console">
        <div class="column in-order">
          <HealthChecks examination={examination} />
          <JobsCard />
        </div>
        <div class="column in-order">
          <BackupsCard />
          <NodesCard />
        </div>
      </div>
    </>
  );
}

/** The server measures each minute. In 30 days a step is an hour. */
function useMetrics(range: Range) {
  // A start time that stays the same while the page is shown, because it is part of the resource's path.
  const [month] = useState(() => new Date(Date.now() - 30 * DAY).toISOString());
  const path = range === "day" ? "/admin/metrics" : `/admin/metrics?from=${month}`;
  return useResource<Metrics>(path, { every: range === "day" ? MINUTE : 15 * MINUTE });
}

/** Host, version, time since the start, and threads. */
function Instance({ metrics }: { metrics: Metrics | undefined }): JSX.Element {
  const version = useResource<{ version: string }>("/version", { fixed: true });
  const settings = useResource<ServerSetting[]>("/admin/settings", { fixed: true });
  const workers = settings.data?.find(({ name }) => name === "workers")?.value;
  const start = metrics?.starts.at(-1);
  const parts = [
    location.host,
    version.data && `version ${version.data.version}`,
    start !== undefined && `up ${timeSince(start)}`,
    workers && `${workers} ${workers === "1" ? "worker" : "workers"}`,
  ];
  return <>{parts.filter((part) => part).join(", ")}</>;
}

/** `17 h 48 min`. */
function timeSince(seconds: number): string {
  const minutes = Math.max(0, Math.floor(Date.now() / MINUTE - seconds / 60));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}

function Summary({ metrics }: { metrics: Metrics | undefined }): JSX.Element {
  const totals = useResource<Totals>("/admin/totals").data;
  const measured = (name: string, format: (value: number) => string) => {
    const found = metrics ? lastOf(metrics, name) : null;
    return found === null ? null : format(found);
  };
  const free = measured("disk_free", formatBytes);
  const domains = measured("claims_connected", formatNumber);
  const { users, sites } = totals ?? {};
  return (
    <Figures
      stacked
      figures={[
        { name: "Sites", value: sites ? formatNumber(sites.all) : <Pending />, side: some(sites?.frozen, "frozen") },
        { name: "People", value: users ? formatNumber(users.all) : <Pending />, side: some(users?.invited, "invited") },
        {
          name: "Content",
          value: measured("content_bytes", formatBytes) ?? <Pending />,
          side: free === null ? undefined : `${free} free`,
        },
        {
          name: "Custom domains",
          value: domains ?? <Pending />,
          side: domains === null ? undefined : "connected",
        },
        { name: "Certificates", value: measured("certificates", formatNumber) ?? <Pending /> },
      ]}
    />
  );
}

/** `3 frozen`; undefined for none. */
function some(count: number | undefined, what: string): string | undefined {
  return count ? `${formatNumber(count)} ${what}` : undefined;
}
