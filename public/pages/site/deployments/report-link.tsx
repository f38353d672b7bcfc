import type { JSX } from "preact";
import { useReloads } from "../../../api/reloads.ts";
import { type Resource, useResource } from "../../../api/resource.ts";
import type { DeploymentReport } from "../../../api/types.ts";
import { resultOf } from "./report-words.ts";
import { reportPath } from "./resources.ts";

/** A report takes a moment. */
const PAUSE_MS = 2000;

/** The report of a deployment, which is loaded again until it is made. `live` compares it with that deployment. */
export function useReport(site: string, number: number, live: number | null = null): Resource<DeploymentReport> {
  const compared = live === null || live === number ? "" : `?with=${live}`;
  const report = useResource<DeploymentReport>(`/sites/${site}/deployments/${number}/report${compared}`);
  useReloads(report.data?.status === "pending", report.reload, PAUSE_MS);
  return report;
}

/** The result of a report in a few words, which lead to it. */
export function ReportLink(props: { site: string; number: number; live?: number | null }): JSX.Element {
  const { site, number, live = null } = props;
  const { data, error } = useReport(site, number, live);
  if (!data) return <span class="muted">{error ? error.detail : "Loading …"}</span>;
  const { text, tone } = resultOf(data);
  return (
    <a class={tone} href={reportPath(site, number)}>
      {text}
      <span class="visually-hidden"> in the report of deployment {number}</span>
    </a>
  );
}
