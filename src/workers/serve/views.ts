import { systemSecrets } from "../../clients/system/secrets.ts";
import { makeViewRecorder, type ViewRecorder } from "../../domain/analytics/record-views.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Log } from "../../domain/ports/log.ts";
import type { Store } from "../../domain/ports/store.ts";
import { SECOND } from "../../domain/timestamp.ts";

/** A crash loses at most ten seconds of views; half of that leaves time for a slow disk. */
const VIEW_INTERVAL = 5 * SECOND;

interface RecordedViews {
  readonly recorder: ViewRecorder;
  /** Writes down what is in memory, and no more after that. */
  stop(): Promise<void>;
}

/** Records the views of one thread, and writes them down every few seconds. */
export function recordViews(store: Store, clock: Clock, log: Log): RecordedViews {
  const recorder = makeViewRecorder({ store, clock, secrets: systemSecrets, pause: () => Bun.sleep(0) });
  const write = () => recorder.flush().catch((error) => log.error("views were not written yet", error));
  const timer = setInterval(write, VIEW_INTERVAL);
  return {
    recorder,
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
