import type { MessagePort } from "node:worker_threads";
import type { Examination, Examiner } from "../domain/ports/examiner.ts";
import type { JobStart, JobState, Jobs } from "../domain/ports/jobs.ts";
import { answerCalls, type Port, remote } from "./rpc.ts";

/** Operations for operators that only the main thread can run. */
export type Maintenance = Jobs & Examiner;

type ControlMethods = {
  readonly listJobs: () => Promise<readonly JobState[]>;
  readonly runJob: (name: string) => Promise<JobStart>;
  readonly examine: () => Promise<Examination>;
};

/** Lets another thread use the main thread's maintenance over a channel. Calls wait until it is available. */
export function shareMaintenance(port: Port, maintenance: Promise<Maintenance>): void {
  answerCalls<ControlMethods>(port, {
    listJobs: async () => (await maintenance).listJobs(),
    runJob: async (name) => (await maintenance).runJob(name),
    examine: async () => (await maintenance).examine(),
  });
}

/** Returns the maintenance that the main thread shares over this end of the channel. */
export function remoteMaintenance(port: MessagePort): Maintenance {
  const { call } = remote<ControlMethods>(port);
  return {
    listJobs: () => call("listJobs"),
    runJob: (name) => call("runJob", name),
    examine: () => call("examine"),
  };
}
