import { readMarkup } from "../../clients/html/read-markup.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import type { Config } from "../../config/settings.ts";
import type { ContentStore } from "../../domain/ports/content.ts";
import type { Store } from "../../domain/ports/store.ts";
import type { Clock } from "../../domain/ports/system.ts";
import { Stopped } from "../../domain/report/make.ts";
import { makePendingReports } from "../../domain/report/make-pending.ts";
import { makeAnswersOf } from "../../serving/report-answers.ts";
import { stderrLog } from "../log.ts";

interface MakerParts {
  readonly config: Config;
  readonly node: string;
  readonly store: Pick<Store, "reports" | "deployments" | "claims">;
  readonly clock: Clock;
  readonly content: Pick<ContentStore, "read">;
  /** Yields to other work; resolves to false to stop. */
  readonly pause: () => Promise<boolean>;
}

/** Returns a function that makes all pending reports, and resolves to false if it was stopped. */
export function reportMaker({ config, pause, ...parts }: MakerParts): () => Promise<boolean> {
  const { sitesDomain, baseUrl, maxUrlLength } = config;
  const ports = {
    ...parts,
    readMarkup,
    answersOf: makeAnswersOf(config),
    server: { sitesDomain, isSecure: baseUrl.startsWith("https:"), maxUrlLength },
    secrets: systemSecrets,
    processor: threadMilliseconds,
    log: stderrLog(config.log, config.logLevel),
    async pause() {
      if (!(await pause())) throw new Stopped();
    },
  };
  return () => makePendingReports(ports);
}

// --- internal ---

/** Returns the processor time of this thread. */
function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
