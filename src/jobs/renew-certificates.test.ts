import { beforeEach, expect, spyOn, test } from "bun:test";
import { ManualClock, SimulatedAuthority } from "../domain/certificates/testing/simulated-authority.ts";
import type { Store } from "../domain/ports/store.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import type { Job } from "./job.ts";
import { renewCertificatesJob } from "./renew-certificates.ts";
import { RUN } from "./testing/run.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

let store: Store;
let clock: ManualClock;
let ca: SimulatedAuthority;
let elapsed: number;
let job: Job;

beforeEach(async () => {
  store = temporaryStore();
  clock = new ManualClock(Date.UTC(2027, 0, 1));
  ca = new SimulatedAuthority("https://ca.example/directory", () => clock.time);
  elapsed = 0;
  const ports = {
    store,
    authorities: [ca],
    probe: { probe: async () => null },
    clock,
    random: () => 0,
    pause: async () => {},
  };
  const timers = { elapsed: () => elapsed, wait: async () => {} };
  const log = { info() {}, warn() {}, error() {} };
  job = renewCertificatesJob(ports, timers, log);
});

const want = (name: string) => store.certificates.want({ identifiers: [name], challenge: "http-01", origin: "claim" });

function pass(milliseconds: number): Promise<void> {
  elapsed += milliseconds;
  clock.time += milliseconds;
  return job.run(RUN);
}

test("a request from any thread is handled by the next run", async () => {
  await pass(0);
  await want("a.example.org");
  await pass(1000);
  expect(ca.orders.map((order) => order.name)).toEqual(["a.example.org"]);
});

test("a request whose pass failed or was interrupted is handled by the next run", async () => {
  await pass(0);
  await want("a.example.org");
  {
    using _ = spyOn(store.certificates, "list").mockImplementationOnce(async () => {
      throw new Error("the database is away");
    });
    await expect(pass(1000)).rejects.toThrow("away");
  }
  await job.run({ ...RUN, signal: AbortSignal.abort() });
  expect(ca.orders).toEqual([]);
  await pass(1000);
  expect(ca.orders.map((order) => order.name)).toEqual(["a.example.org"]);
});

test("while nothing is due the CA gets no request for ten minutes", async () => {
  await want("a.example.org");
  await pass(0);
  const questions = ca.questions;
  for (let second = 0; second < 599; second++) await pass(1000);
  expect(ca.questions).toBe(questions);
  await pass(1000);
  expect(ca.questions).toBe(questions + 1);
});

test("a certificate that becomes due is renewed by the next run, also when the clock jumped there", async () => {
  await want("a.example.org");
  await pass(0);
  clock.time += 61 * DAY;
  await pass(1000);
  expect(ca.orders).toHaveLength(2);
});

test("no second pass starts while one hangs", async () => {
  const stuck = Promise.withResolvers<void>();
  await want("a.example.org");
  ca.prepare = () => stuck.promise;
  const first = pass(0);
  await pass(20 * MINUTE);
  await pass(20 * MINUTE);
  stuck.resolve();
  await first;
  expect(ca.orders).toHaveLength(1);
});
