import { beforeEach, expect, test } from "bun:test";
import { loadConfig } from "../config/settings.ts";
import { type Certificate, NO_ATTEMPTS } from "../domain/model/certificate.ts";
import type { Store } from "../domain/ports/store.ts";
import { DAY } from "../domain/timestamp.ts";
import { RUN } from "../jobs/testing/run.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { stderrLog } from "../workers/log.ts";
import { claimPorts } from "../workers/ports/claims.ts";
import { keepCertificates } from "./certificates.ts";

let folder: string;
let store: Store;

beforeEach(() => {
  folder = temporaryFolder();
  store = temporaryStore();
});

test("a certificate counts as presented once the listeners use it", async () => {
  const clock = { now: () => Date.UTC(2027, 0, 1) };
  const config = loadConfig({ flags: { dataDir: folder, tls: "internal", sitesDomain: "pages.test" }, env: {} });
  const claims = claimPorts(config, { node: "node", store, clock });
  const keeping = await keepCertificates(config, { store, clock, log: stderrLog("off"), claims });
  const presentJob = (present: () => Promise<void>) =>
    keeping.jobs(present).find(({ name }) => name === "present-certificates")!;
  const failing = presentJob(() => Promise.reject(new Error("a thread was lost")));
  const working = presentJob(async () => {});
  const daysLeft = () => keeping.presented().map(({ notAfter }) => (notAfter - clock.now()) / DAY);
  const before = daysLeft();

  for (const { subject, current } of await store.certificates.list()) {
    const renewed = { ...current, notAfter: (current?.notAfter ?? 0) + DAY } as Certificate;
    await store.certificates.install(subject, renewed, { orderedAt: 0, at: 0 }, NO_ATTEMPTS);
  }
  await expect(failing.run(RUN)).rejects.toThrow("a thread was lost");
  expect(daysLeft()).toEqual(before);
  await working.run(RUN);
  expect(daysLeft()).toEqual(before.map((days) => days + 1));
  await keeping.stop();
});
