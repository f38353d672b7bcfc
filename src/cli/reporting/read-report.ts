import type { DeploymentReport } from "../../api/schemas/types.ts";
import { MINUTE, SECOND } from "../../domain/timestamp.ts";
import { type ApiClient, path } from "../client/client.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Reports are made within seconds, unless the server is very busy. */
const MAX_WAIT_MS = 5 * MINUTE;

/** Seconds that the server may hold a request. */
const WAIT_SECONDS = 30;

/** Identifies a report. `comparedWith` is another deployment than the one that was live at the publication. */
interface Wanted {
  readonly site: string;
  readonly number: number;
  readonly comparedWith?: number | null;
}

/** Returns a report once it is made; still pending after five minutes. */
export async function readReport(terminal: Terminal, client: ApiClient, wanted: Wanted): Promise<DeploymentReport> {
  const { site, number, comparedWith = null } = wanted;
  const compared = comparedWith === null ? "" : `&with=${comparedWith}`;
  const end = performance.now() + MAX_WAIT_MS;
  try {
    for (;;) {
      terminal.status("Checking links …");
      const left = Math.max(0, Math.min(WAIT_SECONDS, Math.floor((end - performance.now()) / SECOND)));
      const report = await client.get<DeploymentReport>(
        `${path`/sites/${site}/deployments/${number}/report`}?wait=${left}${compared}`,
      );
      if (report.status !== "pending" || left === 0) return report;
    }
  } finally {
    terminal.status("");
  }
}
