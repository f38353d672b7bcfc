import { beforeEach, expect, test } from "bun:test";
import { type PresentPorts, presentCertificatesJob } from "./present-certificates.ts";
import { RUN } from "./testing/run.ts";

let elapsed: number;
let wanted: string;
let presented: string[];
let broken: boolean;
let unusable: string | null;
let warned: unknown[];

const ports: PresentPorts = {
  loaded: "first",
  wanted: async () => wanted,
  unusable: () => unusable,
  async present() {
    if (broken) throw new Error("no file descriptor left");
    presented.push(wanted);
  },
  timers: { elapsed: () => elapsed, wait: async () => {} },
  log: { warn: (_, fields) => warned.push(fields) },
};

beforeEach(() => {
  elapsed = 0;
  wanted = "first";
  presented = [];
  broken = false;
  unusable = null;
  warned = [];
});

test("the certificates of the start are not presented again", async () => {
  await presentCertificatesJob(ports).run(RUN);
  expect(presented).toEqual([]);
});

test("a change is presented at once, and the changes of the next two seconds together", async () => {
  const job = presentCertificatesJob(ports);
  wanted = "second";
  await job.run(RUN);
  for (const change of ["third", "fourth"]) {
    wanted = change;
    elapsed += 900;
    await job.run(RUN);
  }
  expect(presented).toEqual(["second"]);
  elapsed += 1000;
  await job.run(RUN);
  await job.run(RUN);
  expect(presented).toEqual(["second", "fourth"]);
});

test("a failed rotation is retried, and changes in between are not lost", async () => {
  const job = presentCertificatesJob(ports);
  wanted = "second";
  broken = true;
  await expect(job.run(RUN)).rejects.toThrow("no file descriptor left");
  broken = false;
  elapsed += 60_000;
  await job.run(RUN);
  expect(presented).toEqual(["second"]);
});

test("a set that changes while it is presented is presented again", async () => {
  const job = presentCertificatesJob({
    ...ports,
    async present() {
      presented.push(wanted);
      wanted = "third";
    },
  });
  wanted = "second";
  await job.run(RUN);
  elapsed += 2000;
  await job.run(RUN);
  expect(presented).toEqual(["second", "third"]);
});

test("unusable certificates are logged once, and presented once they have changed", async () => {
  const job = presentCertificatesJob(ports);
  wanted = "the certificate without its key";
  unusable = "the private key belongs to another certificate";
  for (let run = 0; run < 3; run++) {
    await job.run(RUN);
    elapsed += 2000;
  }
  expect([presented, warned]).toEqual([[], [{ reason: unusable }]]);
  wanted = "both";
  unusable = null;
  await job.run(RUN);
  expect(presented).toEqual(["both"]);
});
