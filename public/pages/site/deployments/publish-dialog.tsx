import type { JSX } from "preact";
import { useResource } from "../../../api/resource.ts";
import type { Alias, Deployment, DeploymentChanges } from "../../../api/types.ts";
import { count } from "../../../format.ts";
import { FormDialog } from "../../../parts/dialog.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { Diff } from "./diff.tsx";
import { Findings } from "./findings.tsx";
import { publish } from "./publish.ts";
import { ReportLink, useReport } from "./report-link.tsx";
import { useDeployment } from "./resources.ts";
import { headingOf, isRollBack, shortCommit } from "./words.ts";

interface Props {
  readonly deployment: Deployment;
  readonly aliases: readonly Alias[];
  /** The number of the active deployment; null if nothing is published. */
  readonly live: number | null;
  /** The hosts on which visitors will see it. */
  readonly hosts: readonly string[];
  readonly onClose: () => void;
}

/** Shows the live deployment and the new one side by side before publishing. */
export function PublishDialog({ deployment, aliases, live, hosts, onClose }: Props): JSX.Element {
  const { site_name: site, deployment_number: number } = deployment;
  const action = isRollBack(deployment, live) ? `Roll back to #${number}` : `Publish #${number}`;
  const confirm = () => publish(site, number);
  return (
    <FormDialog title={`${action}?`} action={action} autofocus submit={confirm} onClose={onClose}>
      <p class="muted">
        Visitors of <Hosts hosts={hosts} /> see it at once.
        {live !== null && ` You can go back to #${live} with one click.`}
      </p>
      <div class="publish-pair">
        {live === null ? <p class="muted">Nothing is published yet.</p> : <LiveSide site={site} number={live} />}
        <span class="faint">
          <Icon name="arrowRight" />
        </span>
        <Side deployment={deployment} badge={sideBadge(deployment, aliases)} />
      </div>
      <dl class="facts">
        {live !== null && (
          <>
            <dt>Changes</dt>
            <dd>
              <Comparison site={site} number={number} live={live} />
            </dd>
          </>
        )}
        <dt>Report</dt>
        <dd>
          <ReportLink site={site} number={number} live={live} />
        </dd>
        {deployment.warnings.length > 0 && (
          <>
            <dt>Upload warnings</dt>
            <dd class="warn">{count(deployment.warnings.length, "warning")}</dd>
          </>
        )}
      </dl>
      <NewFindings site={site} deployment={deployment} live={live} />
    </FormDialog>
  );
}

/** Enough to decide: the report has all of them. */
const MAX_NEW_FINDINGS = 3;

/** What visitors would find broken that is not broken now. */
function NewFindings(props: { site: string; deployment: Deployment; live: number | null }): JSX.Element | null {
  const { site, deployment, live } = props;
  const { data } = useReport(site, deployment.deployment_number, live);
  const found = (data?.findings ?? []).filter((finding) => finding.new && finding.severity === "error");
  if (found.length === 0) return null;
  return (
    <section class="card" aria-label="New errors">
      <Findings site={site} url={deployment.url} findings={found.slice(0, MAX_NEW_FINDINGS)} />
    </section>
  );
}

function Hosts({ hosts }: { hosts: readonly string[] }): JSX.Element {
  const [first = "the site", ...others] = hosts;
  return (
    <>
      <strong>{first}</strong>
      {others.length > 0 && ` and ${count(others.length, "more URL", "more URLs")}`}
    </>
  );
}

function sideBadge({ activated_at }: Deployment, aliases: readonly Alias[]): JSX.Element {
  if (activated_at !== null) return <span class="badge">Earlier</span>;
  return <span class="badge accent">{aliases[0]?.name ?? "Preview"}</span>;
}

function LiveSide({ site, number }: { site: string; number: number }): JSX.Element {
  const [live] = useDeployment(site, number).data ?? [];
  const badge = (
    <span class="badge good">
      <span class="dot" aria-hidden="true" /> Live now
    </span>
  );
  if (live === undefined) {
    return (
      <div>
        {badge}
        <p class="strong">#{number}</p>
        <p>{"\u00a0"}</p>
      </div>
    );
  }
  return <Side deployment={live} badge={badge} />;
}

function Side({ deployment, badge }: { deployment: Deployment; badge: JSX.Element }): JSX.Element {
  const { deployment_number: number, commit } = deployment;
  return (
    <div>
      {badge}
      <p class="strong">
        #{number} {commit !== null && <code class="muted">{shortCommit(commit)}</code>}
      </p>
      <p class="muted">{headingOf(deployment)}</p>
    </div>
  );
}

function Comparison({ site, number, live }: { site: string; number: number; live: number }): JSX.Element {
  const path = `/sites/${site}/deployments/${number}/changes?with=${live}`;
  const changes = useResource<DeploymentChanges>(path, { fixed: true });
  if (changes.error) return <span class="muted">{changes.error.detail}</span>;
  return changes.data ? <Diff counts={changes.data} /> : <span class="muted">Comparing …</span>;
}
