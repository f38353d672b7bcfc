import { variableOf } from "../config/setting.ts";
import { type Config, formatListenAddress } from "../config/settings.ts";
import { DomainError } from "../domain/errors.ts";
import type { Finding } from "../domain/maintenance/finding.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Examination, Examiner } from "../domain/ports/examiner.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { SECOND } from "../domain/timestamp.ts";
import { ownCommand } from "../worker-entries.ts";

/** Findings are given again for so long: a page that is reloaded starts no process. */
const KEPT_MS = 30 * SECOND;

/** The checks ask DNS, a CA for the time, and the server itself, each with a limit of its own. */
const DEADLINE_MS = 60 * SECOND;

const RETRY_AFTER_SECONDS = 10;

interface ExaminerPorts {
  /** Runs the checks. Rejects where they cannot be run; when the signal is aborted, they end. */
  run(signal: AbortSignal): Promise<readonly Finding[]>;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Returns the examiner of one server. `stop` ends checks that run. */
export function makeExaminer({ run, clock, timers }: ExaminerPorts): Examiner & { stop(): void } {
  const stopping = new AbortController();
  let last: Promise<Examination> | null = null;
  let endedAt: number | null = null;

  const examine = async (): Promise<Examination> => {
    const over = new AbortController();
    const signal = AbortSignal.any([stopping.signal, over.signal]);
    const limit = timers.wait(DEADLINE_MS, signal).then(() => {
      throw new Error(`no end after ${DEADLINE_MS / SECOND} s`);
    });
    // Ignore the loser's rejection.
    limit.catch(() => {});
    try {
      return { findings: await Promise.race([run(signal), limit]), checkedAt: clock.now() };
    } catch (cause) {
      last = null;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new DomainError("unavailable", `the checks could not be run: ${why}`, {
        retryAfter: RETRY_AFTER_SECONDS,
      });
    } finally {
      endedAt = timers.elapsed();
      over.abort();
    }
  };
  return {
    examine() {
      const isOld = endedAt !== null && timers.elapsed() - endedAt >= KEPT_MS;
      if (last === null || isOld) {
        endedAt = null;
        last = examine();
      }
      return last;
    },
    stop: () => stopping.abort(),
  };
}

/**
 * Runs `vitrine doctor --json` in a process of its own, with the settings of this server. In this process the checks
 * would open and close the files of the database, and POSIX locks of a file end for the whole process when any of its
 * descriptors is closed.
 */
export async function runDoctor(config: Config, signal: AbortSignal): Promise<readonly Finding[]> {
  const settings = config.settingsFile === null ? [] : ["--config", config.settingsFile];
  const child = Bun.spawn([...ownCommand(), "doctor", "--json", "--data-dir", config.dataDir, ...settings], {
    env: { ...process.env, ...settingsAsVariables(config) },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    signal,
    killSignal: "SIGKILL",
  });
  const [output, messages] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  try {
    return (JSON.parse(output) as { findings: Finding[] }).findings;
  } catch {
    throw new Error(messages.trim().split("\n").at(-1) || `vitrine doctor ended with status ${child.exitCode}`);
  }
}

// --- internal ---

/**
 * What the flags of this process set, and the addresses that it really has. Variables, unlike flags, are not shown by
 * `ps`. The child reads the settings file by itself, because relative paths in it begin at its folder.
 */
function settingsAsVariables(config: Config): Record<string, string> {
  const given = config.inForce.flatMap(({ name, source, value, secret }) => {
    const text = secret ? config[camelCase(name) as keyof Config] : value;
    return source === "flag" && typeof text === "string" ? [[variableOf(name), text] as const] : [];
  });
  return {
    ...Object.fromEntries(given),
    VITRINE_LISTEN: formatListenAddress(config.listen),
    VITRINE_BASE_URL: config.baseUrl,
  };
}

function camelCase(flag: string): string {
  return flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
