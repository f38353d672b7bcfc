import { expect } from "bun:test";
import { zipOf } from "../../../acceptance/testing/archives.ts";
import { openTestApi, type TestApi } from "../../../api/testing/test-api.ts";

/** A report, as the API returns it. */
export interface Report {
  readonly status: string;
  readonly summary: Readonly<Record<"errors" | "warnings" | "notes" | "new_errors" | "new_warnings", number>>;
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    readonly file: string;
    readonly line: number;
    readonly target: string | null;
    readonly message: string;
    readonly new: boolean;
  }[];
  readonly totals: { readonly pages: number; readonly links: number };
  readonly compared_to: number | null;
}

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A server whose sites get reports, with an owner of the sites. */
export interface ReportingServer extends TestApi {
  readonly owner: string;
  /** Returns the number of the deployment. */
  deployFiles(site: string, files: Files, headers?: Record<string, string>): Promise<number>;
  /** Makes the pending reports, and returns one. */
  reportOf(site: string, number: number, query?: string): Promise<Report>;
  /** Returns a report that may be pending. */
  storedReport(site: string, number: number, query?: string): Promise<Report>;
}

export async function openReportingServer(flags: Record<string, string> = {}): Promise<ReportingServer> {
  const api = await openTestApi(flags);
  const { token: owner } = await api.signUp("owner");
  const storedReport: ReportingServer["storedReport"] = async (site, number, query = "") => {
    const response = await api.call("GET", `/sites/${site}/deployments/${number}/report${query}`, { token: owner });
    expect(response.status).toBe(200);
    return (await response.json()) as Report;
  };
  return {
    ...api,
    owner,
    storedReport,
    async deployFiles(site, files, headers = {}) {
      const response = await api.deploy(owner, await zipOf(files), { site, headers });
      expect(response.status).toBe(201);
      return ((await response.json()) as { deployment_number: number }).deployment_number;
    },
    async reportOf(site, number, query) {
      await api.makeReports();
      return storedReport(site, number, query);
    },
  };
}
