import type { MessagePort } from "node:worker_threads";
import type { Examination, Examiner } from "../domain/ports/examiner.ts";
import type { CheckedIdToken, IdTokens } from "../domain/ports/id-tokens.ts";
import type { JobStart, JobState, Jobs } from "../domain/ports/jobs.ts";
import { handleCalls, type Port, remote } from "./rpc.ts";

/** Operations for operators that only the main thread can run. */
export type Maintenance = Jobs & Examiner;

/** What serving threads use of the main thread. */
export interface Control {
  /** Available once all jobs have started; calls wait until then. */
  readonly maintenance: Promise<Maintenance>;
  /** All threads share an issuer's keys, so that they are fetched once. */
  readonly idTokens: IdTokens;
}

type ControlMethods = {
  readonly listJobs: () => Promise<readonly JobState[]>;
  readonly runJob: (name: string) => Promise<JobStart>;
  readonly examine: () => Promise<Examination>;
  readonly checkIdToken: (token: string) => Promise<CheckedIdToken>;
};

/** Lets another thread use this over a channel. */
export function shareControl(port: Port, { maintenance, idTokens }: Control): void {
  handleCalls<ControlMethods>(port, {
    listJobs: async () => (await maintenance).listJobs(),
    runJob: async (name) => (await maintenance).runJob(name),
    examine: async () => (await maintenance).examine(),
    checkIdToken: (token) => idTokens.check(token),
  });
}

/** Returns what the main thread shares over this end of the channel. `issuers` are those of the ID tokens. */
export function remoteControl(
  port: MessagePort,
  issuers: readonly string[],
): { readonly maintenance: Maintenance; readonly idTokens: IdTokens } {
  const { call } = remote<ControlMethods>(port);
  return {
    maintenance: {
      listJobs: () => call("listJobs"),
      runJob: (name) => call("runJob", name),
      examine: () => call("examine"),
    },
    idTokens: { issuers, check: (token) => call("checkIdToken", token) },
  };
}
