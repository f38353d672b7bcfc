import { Worker } from "node:worker_threads";
import { uploadLimits } from "../../config/policies.ts";
import type { PublicationResult, StartedPermit } from "../../domain/ports/store/deployments.ts";
import { workerEntry } from "../../worker-entries.ts";
import type { Shared } from "../shared.ts";
import { openPublisher, type ThreadedPublisher } from "./publisher.ts";
import type { PublishingTask } from "./publishing-thread.ts";

/** Opens the publisher of this server, with as many threads as the settings allow. */
export function openThreadedPublisher(shared: Shared): ThreadedPublisher<StartedPermit, PublicationResult> {
  const { config, storage, contentMeters, clockShift } = shared;
  const task: PublishingTask = { config, storage, contentMeters, clockShift };
  return openPublisher({
    limits: uploadLimits(config),
    maxThreads: config.unpackers,
    maxWaiting: config.waitingUploads,
    startThread: () => new Worker(workerEntry("publish"), { workerData: task }),
  });
}
