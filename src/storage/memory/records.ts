import { MAX_NAMES } from "../../domain/analytics/view-deltas.ts";
import { mergeSteps, stepOf } from "../../domain/maintenance/metric-steps.ts";
import { STEP_LENGTHS, STEP_MS, STEPS_KEPT } from "../../domain/model/metric-step.ts";
import { dayOfHour, NAMED_COUNTS, type ViewDelta } from "../../domain/model/view-delta.ts";
import { VisitorSketch } from "../../domain/model/visitor-sketch.ts";
import type { AuditPage, AuditStore, KeptAuditEntry } from "../../domain/ports/store/audit.ts";
import type { Figures } from "../../domain/ports/store/figures.ts";
import type { JobStore } from "../../domain/ports/store/jobs.ts";
import type { MetricStore } from "../../domain/ports/store/metrics.ts";
import type { Totals } from "../../domain/ports/store/totals.ts";
import type { ViewBatch, ViewStore } from "../../domain/ports/store/views.ts";
import { by, type Memory } from "./tables.ts";

export function auditStore({ audit, sites }: Memory): AuditStore {
  const newest = (isMeant: (entry: KeptAuditEntry) => boolean, { limit, before }: AuditPage) =>
    audit
      .filter((entry) => isMeant(entry) && (before === null || entry.id < before))
      .sort(by(({ id }) => -id))
      .slice(0, limit);
  return {
    async append(entry) {
      audit.insert(entry);
    },
    async list({ from = -Infinity, to = Infinity, ...wanted }, page) {
      const isSame = (entry: KeptAuditEntry) =>
        Object.entries(wanted).every(
          ([field, value]) => value === undefined || entry[field as keyof typeof wanted] === value,
        );
      return newest((entry) => isSame(entry) && entry.at >= from && entry.at < to, page);
    },
    async listOfOwner(userId, page) {
      const own = new Map(sites.filter({ ownerId: userId }).map(({ name, createdAt }) => [name, createdAt]));
      const isOfSite = ({ site, at }: KeptAuditEntry) =>
        site !== null && at >= (own.get(site) ?? Number.POSITIVE_INFINITY);
      return newest((entry) => entry.userId === userId || isOfSite(entry), page);
    },
    async deleteOldest(before, limit) {
      const oldest = audit.rows.slice(0, limit);
      const stays = oldest.findIndex(({ at }) => at >= before);
      const dropped = new Set(stays === -1 ? oldest : oldest.slice(0, stays));
      return audit.remove((entry) => dropped.has(entry)).length;
    },
  };
}

export function viewStore(memory: Memory): ViewStore {
  const { views, viewHours, viewSalts, viewWriters } = memory;
  const add = async (deltas: readonly ViewDelta[], batch?: ViewBatch) =>
    memory.write(() => {
      if (batch && (viewWriters.find({ writer: batch.writer })?.number ?? 0) >= batch.number) return;
      if (batch) viewWriters.remove({ writer: batch.writer });
      if (batch) viewWriters.add(batch);
      for (const delta of deltas) addDelta(memory, delta);
    });
  return {
    add,
    addRelaxed: add,
    async days(siteId, from, to) {
      const days = views.filter((row) => row.siteId === siteId && row.day >= from && row.day <= to);
      return days.sort(by(({ day }) => day)).map(({ siteId: _, named: __, ...day }) => day);
    },
    async hours(siteId, from, to) {
      const hours = viewHours.filter((row) => row.siteId === siteId && row.hour >= from && row.hour <= to);
      return hours.sort(by(({ hour }) => hour)).map(({ siteId: _, ...hour }) => hour);
    },
    async top(siteId, kind, { from, to }, limit) {
      const counts = new Map<string, number>();
      for (const { named } of views.filter((row) => row.siteId === siteId && row.day >= from && row.day <= to)) {
        for (const [name, count] of named[kind]) counts.set(name, (counts.get(name) ?? 0) + count);
      }
      const all = [...counts].map(([name, count]) => ({ name, count }));
      return all
        .sort(
          by(
            ({ count }) => -count,
            ({ name }) => name,
          ),
        )
        .slice(0, limit);
    },
    async salt(day, candidate) {
      viewSalts.remove((salt) => salt.day < day);
      return (viewSalts.find({ day }) ?? viewSalts.add({ day, salt: candidate })).salt;
    },
    async deleteBefore(day) {
      views.remove((row) => row.day < day);
    },
    async deleteHoursBefore(hour) {
      viewHours.remove((row) => row.hour < hour);
    },
  };
}

export function jobStore({ leases, jobFailures, jobRuns }: Memory): JobStore {
  return {
    async takeLease(name, { holder, now, until, longest }) {
      const lease = leases.find({ name });
      const runs = lease !== undefined && lease.endsAt > now && lease.endsAt < now + 2 * longest;
      if (runs && lease.holder !== holder) return null;
      leases.remove({ name });
      return leases.add({ name, holder, epoch: (lease?.epoch ?? 0) + 1, endsAt: until }).epoch;
    },
    extendLease: async (name, epoch, endsAt) => leases.update({ name, epoch }, { endsAt }).length > 0,
    async releaseLease(name, epoch) {
      leases.update({ name, epoch }, { endsAt: 0 });
    },
    isLeased: async (name, now) => (leases.find({ name })?.endsAt ?? now) > now,
    listFailures: async () => jobFailures.rows,
    async saveFailure(failure) {
      jobFailures.remove({ name: failure.name });
      jobFailures.add(failure);
    },
    async deleteFailure(name) {
      jobFailures.remove({ name });
    },
    listRuns: async () => jobRuns.rows,
    async saveRuns(runs) {
      for (const run of runs) {
        jobRuns.remove({ name: run.name });
        jobRuns.add(run);
      }
    },
  };
}

export function metricStore({ metricSteps, deployments }: Memory): MetricStore {
  let counted = deployments.lastId;
  return {
    async add(at, figures) {
      for (const length of STEP_LENGTHS) {
        metricSteps.remove(
          (row) => row.length === length && (row.at < at - STEPS_KEPT[length] || row.at > at + STEP_MS[length]),
        );
        const [before] = metricSteps.remove({ length, at: stepOf(at, length) });
        const merged = before ? mergeSteps(before.figures, figures) : figures;
        metricSteps.add({ length, at: stepOf(at, length), figures: merged });
      }
    },
    async list(length, from, to) {
      const steps = metricSteps.filter((row) => row.length === length && row.at >= from && row.at < to);
      return new Map(steps.sort(by(({ at }) => at)).map(({ at, figures }) => [at, figures]));
    },
    async countNewDeployments() {
      const before = counted;
      counted = deployments.lastId;
      return counted - before;
    },
  };
}

export function totalsOf({ users, sites, accountLinks }: Memory, now: number): Totals {
  const invitations = accountLinks.filter(({ kind, expiresAt }) => kind === "invitation" && expiresAt > now);
  return {
    users: {
      all: users.rows.length,
      operators: users.filter({ operator: true }).length,
      frozen: users.filter(({ frozen }) => frozen !== null).length,
      invited: invitations.length,
    },
    sites: {
      all: sites.rows.length,
      private: sites.filter({ private: true }).length,
      frozen: sites.filter(({ frozen }) => frozen !== null).length,
    },
  };
}

export function figuresOf({ users, sites, deployments, contents, claims, webhooks, deliveries }: Memory): Figures {
  const waiting = deliveries.filter({ status: "pending" }).map(({ event }) => event.at);
  const disabled = webhooks.filter(({ disabledAt }) => disabledAt !== null).length;
  const kinds = Map.groupBy(claims.rows, ({ status, routeStatus }) => `${status} ${routeStatus}`);
  const statuses = Map.groupBy(deliveries.rows, ({ status }) => status);
  return {
    users: users.rows.length,
    sites: sites.rows.length,
    privateSites: sites.filter({ private: true }).length,
    deployments: deployments.rows.length,
    contents: contents.rows.length,
    contentBytes: contents.rows.reduce((total, { size }) => total + size, 0),
    claims: [...kinds.values()].map((rows) => {
      return { status: rows[0]!.status, route: rows[0]!.routeStatus, count: rows.length };
    }),
    webhooks: {
      active: webhooks.rows.length - disabled,
      disabled,
      deliveries: [...statuses]
        .map(([status, rows]) => ({ status, count: rows.length }))
        .sort(by(({ status }) => status)),
      oldestPendingAt: waiting.length === 0 ? null : Math.min(...waiting),
    },
  };
}

export function lastChangeAt({ deployments, users, sessions }: Memory): number | null {
  const created = [...deployments.rows, ...users.rows].map(({ createdAt }) => createdAt);
  const times = [...created, ...sessions.rows.map(({ lastUsedAt }) => lastUsedAt)];
  return times.length === 0 ? null : Math.max(...times);
}

// --- internal ---

/** Adds a delta. The number of names of each kind is limited per day; counts of known names continue. */
function addDelta({ sites, views, viewHours }: Memory, delta: ViewDelta): void {
  const { siteId, hour } = delta;
  const day = dayOfHour(hour);
  const counted = sites.update({ id: siteId }, ({ totalViews }) => ({ totalViews: totalViews + delta.views }));
  if (counted.length === 0) return;
  const [before] = views.remove({ siteId, day });
  const names = NAMED_COUNTS.map((kind) => {
    const counts = new Map(before?.named[kind]);
    for (const [name, count] of delta.named[kind]) {
      if (counts.has(name) || counts.size < MAX_NAMES[kind]) counts.set(name, (counts.get(name) ?? 0) + count);
    }
    return [kind, counts] as const;
  });
  const named = Object.fromEntries(names) as unknown as ViewDelta["named"];
  views.add({ siteId, day, ...addCounts(before, delta), named });
  const [earlier] = viewHours.remove({ siteId, hour });
  viewHours.add({ siteId, hour, ...addCounts(earlier, delta) });
}

type Counts = Pick<ViewDelta, "views" | "botViews" | "bytes" | "visitors">;

function addCounts(before: Counts | undefined, delta: Counts): Counts {
  const visitors = before ? VisitorSketch.fromBytes(before.visitors.toBytes()) : new VisitorSketch();
  visitors.merge(delta.visitors);
  return {
    views: (before?.views ?? 0) + delta.views,
    botViews: (before?.botViews ?? 0) + delta.botViews,
    bytes: (before?.bytes ?? 0) + delta.bytes,
    visitors,
  };
}
