import { statSync } from "node:fs";
import type { Config } from "../config/settings.ts";
import { VERSION } from "../config/version.ts";
import { failingBackup } from "../domain/backups/schedule.ts";
import { DomainError } from "../domain/errors.ts";
import type { BackupRecord } from "../domain/model/backup-record.ts";
import type { PresentedCertificate } from "../domain/model/certificate.ts";
import type { Figures } from "../domain/ports/store/figures.ts";
import type { NodeDirectory } from "../domain/ports/store/nodes.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock, Log } from "../domain/ports/system.ts";
import { DAY } from "../domain/timestamp.ts";
import type { Scheduler } from "../jobs/scheduler.ts";
import {
  counter,
  exposition,
  gauge,
  histogram,
  type MeterSlots,
  type Metric,
  readMeters,
  type Sample,
} from "../serving/metrics.ts";
import type { ContentFigures } from "../storage/content/s3/content-meters.ts";
import { diskSpace } from "../storage/disk/disk-space.ts";
import type { DataFolder } from "../storage/folder/data-folder.ts";
import type { ClusterFigures } from "../storage/meters/cluster-meters.ts";

interface MetricsPorts {
  readonly store: Pick<Store, "figures" | "jobs" | "backups" | "nodes">;
  readonly certificates: { presented(): readonly PresentedCertificate[] };
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly log: Log;
  readonly scheduler: Pick<Scheduler, "lags">;
  /** Returns what was counted of content in a bucket. */
  readonly content: () => ContentFigures;
  /** Returns what was counted of the database and of the other nodes; null without them. */
  readonly cluster: () => ClusterFigures | null;
}

/**
 * Serves GET /metrics on a separate listener, which visitors cannot reach; null if it is off. Throws if the address is
 * not available.
 */
export function serveMetrics(config: Config, ports: MetricsPorts, threads: readonly MeterSlots[]) {
  if (config.metricsListen === null) return null;
  const { host, port } = config.metricsListen;
  return Bun.serve({
    hostname: host ?? "::",
    port,
    development: false,
    async fetch(request) {
      if (new URL(request.url).pathname !== "/metrics") return new Response("see /metrics\n", { status: 404 });
      const text = exposition(readMeters(threads), await gauges(config, ports));
      return new Response(text, { headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" } });
    },
    error(error) {
      ports.log.error("the metrics could not be read", error);
      return new Response("internal error\n", { status: 500 });
    },
  });
}

async function gauges(config: Config, ports: MetricsPorts): Promise<Metric[]> {
  const cluster = ports.cluster();
  const own = [
    ...ownGauges(config, ports),
    ...(config.content === null ? [] : contentMetrics(ports.content())),
    ...(cluster === null ? [] : clusterMetrics(cluster)),
  ];
  const { nodes } = ports.store;
  if (nodes === null) {
    const bytes = databaseBytes(ports.folder);
    return [...own, databaseGauge(bytes), ...(await storedGauges(ports))];
  }
  const found = await Promise.all([storedGauges(ports), nodeGauges(nodes)]).catch((error) => {
    if (error instanceof DomainError && error.kind === "unavailable") return null;
    throw error;
  });
  const up = gauge("database_up", "Whether the database answers: 1, or 0.", { value: found === null ? 0 : 1 });
  return [...own, up, ...(found ?? []).flat()];
}

/** Returns what is known without the database. */
function ownGauges(config: Config, { certificates, folder, clock, scheduler }: MetricsPorts): Metric[] {
  return [
    gauge("build_info", "The version that runs; always 1.", { labels: { ...VERSION }, value: 1 }),
    gauge("disk_free_bytes", "Space left for content and database.", { value: diskSpace(folder.root).free }),
    gauge(
      "certificate_days_left",
      "Days until a certificate ends.",
      // Their number is limited by the verified domains.
      ...certificates
        .presented()
        .map(({ name, notAfter }) => ({ labels: { name }, value: (notAfter - clock.now()) / DAY })),
    ),
    gauge(
      "job_lag_seconds",
      "Seconds since a job was due, until it ended well; 0 for one that is not due.",
      ...scheduler.lags().map(({ job, lag }) => ({ labels: { job }, value: lag / 1000 })),
    ),
    gauge("cache_limit_bytes", "Memory for hot content, all threads together.", { value: config.cacheBytes }),
    gauge("resident_memory_bytes", "Memory of the process.", { value: process.memoryUsage.rss() }),
  ];
}

async function storedGauges({ store, clock }: MetricsPorts): Promise<Metric[]> {
  const figures = await store.figures();
  const failures = await store.jobs.listFailures();
  return [
    gauge("users", "People who may own sites, and readers.", { value: figures.users }),
    gauge(
      "sites",
      "Sites, by who may read them.",
      { labels: { access: "public" }, value: figures.sites - figures.privateSites },
      { labels: { access: "private" }, value: figures.privateSites },
    ),
    gauge("deployments", "Deployments that are kept.", { value: figures.deployments }),
    gauge("contents", "Distinct files that are kept.", { value: figures.contents }),
    gauge("content_bytes", "Length of the distinct files that are kept, without encodings.", {
      value: figures.contentBytes,
    }),
    gauge("claims", "Custom domains, by status of claim and route.", ...figures.claims.map(claimSample)),
    ...webhookGauges(figures.webhooks, clock),
    gauge(
      "job_failures",
      "Failures in a row of jobs that failed the last time.",
      ...failures.map((failure) => ({ labels: { job: failure.name }, value: failure.failures })),
    ),
    ...backupGauges(await store.backups.list(), clock),
  ];
}

function databaseGauge(bytes: number): Metric {
  return gauge("database_bytes", "Length of the database with its log.", { value: bytes });
}

function contentMetrics({ hits, misses, requests }: ContentFigures): Metric[] {
  return [
    counter("content_cache_hits_total", "Files that the disk cache had.", { value: hits }),
    counter("content_cache_misses_total", "Files that were read from the bucket.", { value: misses }),
    counter("s3_failures_total", "Requests to the bucket that failed or were refused.", { value: requests.failures }),
    histogram("s3_request_duration_seconds", "Time of requests to the bucket, with their bodies.", requests),
  ];
}

function clusterMetrics({ database, barrier }: ClusterFigures): Metric[] {
  return [
    counter(
      "database_failures_total",
      "Queries and transactions that failed because the database was away, busy or full.",
      { value: database.failures },
    ),
    histogram("database_request_duration_seconds", "Time of queries and transactions.", database),
    counter("barrier_failures_total", "Changes of which it stayed unknown whether all nodes have applied them.", {
      value: barrier.failures,
    }),
    histogram("barrier_duration_seconds", "Time from a change until all nodes have applied it.", barrier),
  ];
}

/** The number of nodes is limited: silent ones are forgotten after a day. */
async function nodeGauges(nodes: NodeDirectory): Promise<Metric[]> {
  const listed = await nodes.list();
  const { newestChange, databaseBytes } = await nodes.measure();
  // Two nodes may have the same name by mistake, and two samples must not have the same labels.
  const places = Map.groupBy(listed, ({ name }) => name).entries();
  const lags = [...places].map(([node, named]) => ({
    labels: { node },
    value: Math.max(0, newestChange - Math.min(...named.map(({ applied }) => applied))),
  }));
  return [
    databaseGauge(databaseBytes),
    gauge(
      "nodes",
      "Nodes that share the database, by state.",
      ...(["live", "isolated", "draining"] as const).map((state) => ({
        labels: { state },
        value: listed.filter((node) => node.state === state).length,
      })),
    ),
    gauge("node_lag_changes", "Changes that the visitors of a node do not see yet.", ...lags),
  ];
}

function webhookGauges({ active, disabled, deliveries, oldestPendingAt }: Figures["webhooks"], clock: Clock): Metric[] {
  const count = (wanted: string) => deliveries.find(({ status }) => status === wanted)?.count ?? 0;
  const age = oldestPendingAt === null ? 0 : Math.max(0, clock.now() - oldestPendingAt) / 1000;
  return [
    gauge(
      "webhooks",
      "Webhooks, by whether they are on.",
      { labels: { state: "active" }, value: active },
      { labels: { state: "disabled" }, value: disabled },
    ),
    gauge(
      "webhook_deliveries",
      "Deliveries of webhooks that are kept, by status.",
      ...["pending", "delivered", "failed"].map((status) => ({ labels: { status }, value: count(status) })),
    ),
    gauge("webhook_oldest_pending_seconds", "Age of the oldest event that is not delivered yet.", { value: age }),
  ];
}

function backupGauges(backups: readonly BackupRecord[], clock: Clock): Metric[] {
  const newest = backups.find(({ state }) => state === "done");
  return [
    gauge("backups", "Complete backups that are kept.", {
      value: backups.filter(({ state }) => state === "done").length,
    }),
    gauge("backup_failures", "Failed attempts in a row of the backup that is due; 0 after a successful one.", {
      value: failingBackup(backups)?.attempts ?? 0,
    }),
    gauge(
      "backup_age_seconds",
      "Age of the newest complete backup; absent without one.",
      ...(newest ? [{ value: Math.max(0, clock.now() - newest.createdAt) / 1000 }] : []),
    ),
  ];
}

function claimSample({ status, route, count }: { status: string; route: string; count: number }): Sample {
  return { labels: { status, route }, value: count };
}

function databaseBytes({ database }: DataFolder): number {
  const sizes = ["", "-wal"].map((suffix) => statSync(database + suffix, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((total, size) => total + size, 0);
}
