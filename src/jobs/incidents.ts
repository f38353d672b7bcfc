import { watchDisk, watchIncidents } from "../domain/operators/incidents.ts";
import type { Log } from "../domain/ports/log.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

type Ports = Parameters<typeof watchIncidents>[0] & Parameters<typeof watchDisk>[0] & { readonly log: Log };

/** Returns the jobs that detect problems for the operator. Each node watches its own disk. */
export function incidentJobs(ports: Ports): Job[] {
  const noteNew = (names: readonly string[]) => {
    for (const name of names) ports.log.warn("incident", { name });
  };
  const timing = { every: 10 * SECOND, timeLimit: MINUTE };
  return [
    {
      name: "incidents",
      scope: "cluster",
      ...timing,
      run: async () => noteNew(await watchIncidents(ports)),
    },
    {
      name: "watch-disk",
      scope: "node",
      ...timing,
      run: async () => noteNew(await watchDisk(ports)),
    },
  ];
}
