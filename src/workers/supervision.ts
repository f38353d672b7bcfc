import { openNotifySocket } from "./notify-socket.ts";

/** Notifications to the service manager that started this process. */
export interface Supervision {
  /** Reports that the server stops. Sends nothing afterwards. */
  stopping(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Notifications per watchdog interval: two may be late or lost. */
const BEATS = 3;

/**
 * Notifies systemd that the server is ready and, if the unit has a watchdog, periodically that it is alive, but only as
 * long as the event loop of every serving thread responds. If one hangs, the notifications stop and systemd restarts the
 * process. Null without a service manager (sd_notify(3)).
 */
export function supervise(env: Environment, address: string, threadsAnswer: () => Promise<void>): Supervision | null {
  const socket = env.NOTIFY_SOCKET ? openNotifySocket(env.NOTIFY_SOCKET) : null;
  if (!socket) return null;
  const interval = watchdogInterval(env, process.pid);
  const beats =
    interval === null ? null : startBeating(interval / BEATS, threadsAnswer, () => socket.send("WATCHDOG=1"));
  socket.send(`READY=1\nSTATUS=Serving ${address}`);
  return {
    stopping() {
      beats?.stop();
      socket.send("STOPPING=1\nSTATUS=Finishing what runs");
      socket.close();
    },
  };
}

/** Returns the watchdog interval in milliseconds; null if there is none for this process. */
export function watchdogInterval({ WATCHDOG_USEC, WATCHDOG_PID }: Environment, pid: number): number | null {
  if (!/^[1-9]\d*$/.test(WATCHDOG_USEC ?? "")) return null;
  if (WATCHDOG_PID && WATCHDOG_PID !== String(pid)) return null;
  return Number(WATCHDOG_USEC) / 1000;
}

/**
 * Sends messages at this interval, each when all threads have responded, and stops permanently if one of them cannot.
 */
export function startBeating(every: number, answered: () => Promise<void>, beat: () => void): { stop(): void } {
  let waiting = false;
  let stopped = false;
  const ask = () => {
    // A thread that has not responded gets no further request, because requests would pile up.
    if (waiting) return;
    waiting = true;
    answered().then(
      () => {
        waiting = false;
        if (!stopped) beat();
      },
      () => {},
    );
  };
  const timer = setInterval(ask, every);
  ask();
  return {
    stop() {
      stopped = true;
      clearInterval(timer);
    },
  };
}
