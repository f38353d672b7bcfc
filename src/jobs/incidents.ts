import { watchIncidents } from "../domain/operators/incidents.ts";
import type { Log } from "../domain/ports/system.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

type Ports = Parameters<typeof watchIncidents>[0] & { readonly log: Log };

/** Returns the job that detects problems for the operator. */
export function incidentsJob(ports: Ports): Job {
  return {
    name: "incidents",
    title: "Report incidents",
    scope: "cluster",
    every: 10 * SECOND,
    timeLimit: MINUTE,
    async run() {
      for (const name of await watchIncidents(ports)) ports.log.warn("incident", { name });
    },
  };
}
