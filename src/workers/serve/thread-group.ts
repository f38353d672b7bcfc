import { MessageChannel, type MessagePort } from "node:worker_threads";
import { formatListenAddress } from "../../config/settings.ts";
import { messageOf } from "../../domain/error-message.ts";
import type { PublicationResult, StartedPermit } from "../../domain/ports/store/deployments.ts";
import type { Log } from "../../domain/ports/system.ts";
import { StartFailure } from "../../domain/start-failure.ts";
import type { MeterSlots } from "../../serving/metrics.ts";
import type { JoinedNode } from "../../storage/cluster.ts";
import { type Control, shareControl } from "../control.ts";
import { sharePublisher, type ThreadedPublisher } from "../publish/publisher.ts";
import type { Shared } from "../shared.ts";
import { shareLease } from "./permit.ts";
import { newServingWorker, type ServingThread, startServingThread } from "./threads.ts";

/** The serving threads of one server. */
export interface ThreadGroup {
  /** Presents the current certificates from the next connection of any thread on. */
  present(): Promise<void>;
  /** Resolves when every event loop responds. */
  ping(): Promise<void>;
  /**
   * Reports not ready and closes connections for `delay` milliseconds, lets running requests finish, and ends the
   * threads. Requests that take longer than 30 seconds are aborted.
   */
  drain(delay: number): Promise<void>;
  /** Terminates the threads at once. */
  end(): void;
  /**
   * Resolves if a thread ends unexpectedly. Its share of the connections is then lost, and what it held in the tables that
   * the threads share is never released, so the process must be replaced.
   */
  readonly lost: Promise<void>;
}

/** The main thread's services for the threads. */
interface MainThread {
  readonly publishing: ThreadedPublisher<StartedPermit, PublicationResult>;
  readonly control: Control;
  readonly member: Pick<JoinedNode, "renew"> | null;
  readonly log: Log;
  /** Replaced in tests only. */
  readonly newWorker?: typeof newServingWorker;
}

/** Milliseconds that running requests may take to finish when the server stops. */
const DRAIN_LIMIT_MS = 30_000;

/** Starts a thread for each of `meters`. Throws StartFailure, with all threads ended, if one cannot listen. */
export async function startThreadGroup(
  shared: Shared,
  meters: readonly MeterSlots[],
  { publishing, control, member, log, newWorker = newServingWorker }: MainThread,
): Promise<ThreadGroup> {
  const loss = Promise.withResolvers<void>();
  const lost = (reason: string) => {
    log.error("a thread was lost", reason);
    loss.resolve();
  };
  const started = await Promise.allSettled(
    meters.map((slots) => {
      const task = {
        shared,
        meters: slots,
        publishing: sharedPort((port) => sharePublisher(port, publishing)),
        control: sharedPort((port) => shareControl(port, control)),
        lease: member && sharedPort((port) => shareLease(port, member)),
      };
      return startServingThread(newWorker(task), lost);
    }),
  );
  const failed = started.find((result) => result.status === "rejected");
  const threads = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (!failed) return groupOf(threads, loss.promise);
  await Promise.all(threads.map((thread) => thread.drain()));
  throw new StartFailure(`cannot listen on ${formatListenAddress(shared.config.listen)}: ${messageOf(failed.reason)}`);
}

// --- internal ---

/** Returns the end of a new channel for a thread, with something shared at its other end. */
function sharedPort(share: (port: MessagePort) => void): MessagePort {
  const { port1, port2 } = new MessageChannel();
  share(port1);
  // A listening port would keep the process running.
  port1.unref();
  return port2;
}

function groupOf(threads: readonly ServingThread[], lost: Promise<void>): ThreadGroup {
  const end = () => {
    for (const thread of threads) thread.end();
  };
  return {
    async present() {
      await Promise.all(threads.map((thread) => thread.present()));
    },
    async ping() {
      await Promise.all(threads.map((thread) => thread.ping()));
    },
    async drain(delay) {
      const limit = Promise.withResolvers<void>();
      const timer = setTimeout(limit.resolve, delay + DRAIN_LIMIT_MS);
      await Promise.race([Promise.all(threads.map((thread) => thread.drain(delay))), limit.promise]);
      // The timer and the threads would keep the process running.
      clearTimeout(timer);
      end();
    },
    end,
    lost,
  };
}
