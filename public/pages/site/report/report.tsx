import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { DeploymentReport, Site } from "../../../api/types.ts";
import { count, formatBytes, formatNumber } from "../../../format.ts";
import { EmptyFace, Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { Figures } from "../../../parts/card.tsx";
import { sitePath } from "../../../router.ts";
import { Findings } from "../deployments/findings.tsx";
import { useReport } from "../deployments/report-link.tsx";
import { codesOf, nameOf, shownOf } from "../deployments/report-words.ts";
import { detailsPath, numberIn, useDeployment } from "../deployments/resources.ts";

/** The report of the deployment that the URL names. */
export function ReportPage({ site }: { site: Site }): JSX.Element {
  const number = numberIn(location.search);
  if (number !== null) return <Report site={site.name} number={number} />;
  return (
    <EmptyFace icon="search" title="No deployment chosen">
      <p>
        Choose <em>Report</em> in the menu of a <a href={sitePath(site.name, "deployments")}>deployment</a>.
      </p>
    </EmptyFace>
  );
}

function Report({ site, number }: { site: string; number: number }): JSX.Element {
  const report = useReport(site, number);
  const [deployment] = useDeployment(site, number).data ?? [];
  const url = deployment?.deployment_number === number ? deployment.url : null;
  return (
    <Loaded resource={report} what="the report" skeleton={<SkeletonRows rows={6} />}>
      {(data) => <Made site={site} number={number} url={url} report={data} />}
    </Loaded>
  );
}

interface MadeProps {
  readonly site: string;
  readonly number: number;
  /** Null until the deployment is loaded. */
  readonly url: string | null;
  readonly report: DeploymentReport;
}

function Made(props: MadeProps): JSX.Element {
  const { report, site, number } = props;
  if (report.status === "pending") {
    return (
      <div class="card" role="status">
        <EmptyFace icon="clock" title="The report is being made">
          <p>Links and files are checked in the background. This page shows the result as soon as it is there.</p>
        </EmptyFace>
      </div>
    );
  }
  if (report.status === "failed") {
    return (
      <div class="card">
        <EmptyFace icon="warning" title="The report could not be made">
          <p>The server tried several times. Deploy again for a new report; the operator’s log has the reason.</p>
        </EmptyFace>
      </div>
    );
  }
  return (
    <>
      <Totals report={report} />
      <Found key={`${site} ${number}`} {...props} />
      <Coverage report={report} />
    </>
  );
}

function Totals({ report }: { report: DeploymentReport }): JSX.Element {
  const { summary, totals, compared_to } = report;
  const side = compared_to === null || summary.errors === 0 ? {} : { side: `${summary.new_errors} new` };
  return (
    <section class="card lead-figures" aria-label="Summary">
      <Figures
        figures={[
          { name: "Errors", value: formatNumber(summary.errors), ...side },
          { name: "Warnings", value: formatNumber(summary.warnings) },
          { name: "Notes", value: formatNumber(summary.notes) },
          { name: "Checked", value: count(totals.links, "link"), side: `on ${count(totals.pages, "page")}` },
        ]}
      />
    </section>
  );
}

/** Findings that are drawn at once. */
const PAGE = 100;

function Found({ report, site, url, number }: MadeProps): JSX.Element {
  const [code, setCode] = useState("");
  const [most, setMost] = useState(PAGE);
  const shown = shownOf(report.findings, code);
  const all = report.summary.errors + report.summary.warnings + report.summary.notes;
  if (report.findings.length === 0) {
    return (
      <div class="card">
        <EmptyFace icon="check" title="Nothing found">
          <p>Every link and every file that the pages of deployment {number} load is there.</p>
        </EmptyFace>
      </div>
    );
  }
  const choose = (wanted: string) => {
    setCode(wanted);
    setMost(PAGE);
  };
  return (
    <>
      <Filters report={report} code={code} choose={choose} details={detailsPath(site, number)} />
      <section class="card" aria-label="Findings">
        {url === null ? <SkeletonRows rows={4} /> : <Findings site={site} url={url} findings={shown.slice(0, most)} />}
        {shown.length > most && (
          <div class="card-foot">
            <button type="button" class="button small" onClick={() => setMost(most + PAGE)}>
              Show more findings
            </button>
          </div>
        )}
      </section>
      {report.truncated && (
        <p class="small muted">
          These are the first {formatNumber(report.findings.length)} of {formatNumber(all)} findings.
        </p>
      )}
    </>
  );
}

function Filters(props: {
  report: DeploymentReport;
  code: string;
  choose: (code: string) => void;
  details: string;
}): JSX.Element {
  const { report, code, choose, details } = props;
  const chip = (value: string, words: string, number: number) => (
    <button key={value} type="button" class="chip" aria-pressed={code === value} onClick={() => choose(value)}>
      {words} <span>{formatNumber(number)}</span>
    </button>
  );
  return (
    <div class="filters">
      {chip("", "All", report.findings.length)}
      {codesOf(report.findings).map(([one, number]) => chip(one, nameOf(one), number))}
      <span class="grow" />
      <a class="button" href={details}>
        Details
      </a>
    </div>
  );
}

function Coverage({ report }: { report: DeploymentReport }): JSX.Element {
  const { not_checked, totals, compared_to } = report;
  return (
    <p class="small faint">
      {compared_to !== null && `New findings are those that deployment ${compared_to} does not have. `}
      {not_checked > 0 && `${count(not_checked, "file was", "files were")} not checked as a whole. `}
      The deployment has {formatBytes(totals.bytes)}. Other hosts and what scripts do are not checked.
    </p>
  );
}
