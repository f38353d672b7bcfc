import { PASSWORD } from "../../src/acceptance/testing/accounts.ts";
import type { TestServer } from "../../src/acceptance/testing/test-server.ts";
import type { StepFigures } from "../../src/domain/model/metric-step.ts";
import { DAY, HOUR, MINUTE } from "../../src/domain/timestamp.ts";

const GIB = 2 ** 30;
/** The server was restarted this many hours ago. AWAY is the length of the outage. */
const RESTARTED = 17.8;
const AWAY = 20 * MINUTE;

/** Makes ada an operator, adds users with quotas, and writes a month of metrics. */
export async function operate(server: TestServer, token: string): Promise<void> {
  const { store } = server;
  const ada = await store.users.findByLogin("local", "ada");
  await store.users.setOperator(ada?.id ?? 0, true);
  for (const [login, bytes] of [
    ["grace", 10 * GIB],
    ["margaret", GIB],
  ] as const) {
    const user = await store.users.findByLogin("local", login);
    await store.users.change(user?.id ?? 0, { quota: { bytes, sites: 25 } });
  }
  await store.users.change(ada?.id ?? 0, { quota: { bytes: 280_000 } });
  const frozen = await store.users.findByLogin("local", "grace");
  await store.users.change(frozen?.id ?? 0, { frozen: { at: server.clock.now(), reason: null }, quota: {} });
  await measure(server);
  await server.call("POST", "/auth/confirm", { token, json: { password: PASSWORD } });
  const backup = await server.call("POST", "/admin/backups", { token });
  if (backup.status !== 202) throw new Error(`no backup: ${await backup.text()}`);
  // The jobs ran last when the clock was in the past.
  const jobs = (await (await server.call("GET", "/admin/jobs", { token })).json()) as { name: string }[];
  for (const { name } of jobs) await server.call("POST", `/admin/jobs/${name}/run`, { token });
}

async function measure({ store, clock }: TestServer): Promise<void> {
  const now = clock.now();
  for (let at = now - 30 * DAY; at < now - DAY; at += HOUR) await store.metrics.add(at, figuresAt(at, 3600, false));
  const start = now - RESTARTED * HOUR;
  for (let at = now - DAY; at < now - MINUTE; at += MINUTE) {
    if (at > start - AWAY && at <= start) continue;
    const isFirst = at > start && at <= start + MINUTE;
    await store.metrics.add(at, figuresAt(at, 60, isFirst));
  }
  // Discards measurements of the machine that takes the screenshots.
  Object.assign(store.metrics, { add: async () => {} });
}

/** Metrics of one minute: higher by day than by night, with the same variation in each run. */
function figuresAt(at: number, seconds: number, isFirst: boolean): StepFigures {
  const minute = Math.floor(at / MINUTE);
  const ripple = 0.85 + 0.3 * Math.abs(Math.sin(minute * 12.9898) % 1);
  const busy = (0.35 + 0.65 * Math.sin(((at % DAY) / DAY) * Math.PI) ** 2) * ripple;
  const requests = Math.round(140 * busy * seconds);
  const slow = Math.round(requests * 0.011);
  return {
    counts: {
      requests,
      errors5xx: isFirst ? Math.round(requests * 0.013) : Math.round(requests * 0.0006 * ripple),
      bytesSent: requests * 13_400,
      deployments: minute % 31 === 0 && busy > 0.5 ? 1 + (minute % 3) : 0,
      cacheHits: Math.round(requests * 0.969),
      cacheMisses: Math.round(requests * 0.031 * ripple),
      jobsFailed: 0,
    },
    latency: [0, requests - slow, 0, Math.round(slow * 0.2), Math.round(slow * 0.6), Math.round(slow * 0.2)],
    gauges: {
      diskUsed: 84 * GIB,
      diskFree: 116 * GIB,
      contentBytes: 61.8 * GIB,
      memoryRss: (isFirst ? 220 : 280 + 24 * busy) * 2 ** 20,
      certificates: 138,
      claimsConnected: 136,
    },
    starts: isFirst ? [at] : [],
  };
}
