import type { ComponentChildren, JSX } from "preact";
import { useResource } from "../../../api/resource.ts";
import type { Deployment, DeploymentChanges } from "../../../api/types.ts";
import { count, formatBytes, formatMoment, withoutScheme } from "../../../format.ts";
import { Ago, CopyButton, Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { CloseAction, Dialog } from "../../../parts/dialog.tsx";
import { Warnings } from "../../../parts/warnings.tsx";
import { SIGNS } from "./diff.tsx";
import { AliasLink, Expires } from "./facts.tsx";
import { ReportLink } from "./report-link.tsx";
import { filesPath, useAliases, useDeployment } from "./resources.ts";
import { shortRef } from "./words.ts";

/** The details of a deployment, with the files that it changes. */
export function DetailsDialog(props: { site: string; number: number; onClose: () => void }): JSX.Element {
  const { site, number, onClose } = props;
  const found = useDeployment(site, number);
  return (
    <Dialog title={`Deployment #${number}`} onClose={onClose}>
      <Loaded resource={found} what="the deployment" skeleton={<SkeletonRows rows={3} />}>
        {([deployment]) =>
          deployment?.deployment_number === number ? (
            <Details deployment={deployment} />
          ) : (
            <p class="muted">There is no deployment {number}. It may have been deleted.</p>
          )
        }
      </Loaded>
      <CloseAction onClose={onClose} />
    </Dialog>
  );
}

function Details({ deployment }: { deployment: Deployment }): JSX.Element {
  const { site_name: site, deployment_number: number, warnings } = deployment;
  return (
    <>
      {deployment.message !== null && <p class="deployment-message">{deployment.message}</p>}
      <Facts deployment={deployment} />
      {warnings.length > 0 && (
        <section class="section">
          <h3>{count(warnings.length, "upload warning")}</h3>
          <Warnings warnings={warnings} />
        </section>
      )}
      <ChangedFiles site={site} number={number} />
    </>
  );
}

function Facts({ deployment }: { deployment: Deployment }): JSX.Element {
  const { site_name: site, deployment_number: number, commit, ref } = deployment;
  const aliases = useAliases(site).data?.filter((alias) => alias.deployment_number === number) ?? [];
  return (
    <dl class="facts">
      <Fact name="State">{stateOf(deployment)}</Fact>
      {commit !== null && (
        <Fact name="Commit">
          <code>{commit}</code> <CopyButton text={commit} label="the commit" />
        </Fact>
      )}
      {ref !== null && <Fact name="Branch">{shortRef(ref)}</Fact>}
      <Fact name="Deployed by">
        {deployment.source === "session" ? deployment.actor : `token ${deployment.actor}`},{" "}
        <Ago at={deployment.created_at} />
      </Fact>
      <Fact name="Size">
        {formatBytes(deployment.size_bytes)},{" "}
        <a href={filesPath(site, number)}>{count(deployment.file_count, "file")}</a>
      </Fact>
      <Fact name="Report">
        <ReportLink site={site} number={number} />
      </Fact>
      <Fact name="URL">
        <a href={deployment.url} target="_blank" rel="noopener">
          {withoutScheme(deployment.url)}
        </a>{" "}
        <CopyButton text={deployment.url} label="the URL" />
      </Fact>
      {aliases.length > 0 && (
        <Fact name="Aliases">
          {aliases.map((alias) => (
            <div key={alias.name} class="line">
              <AliasLink alias={alias} site={site} /> <Expires at={alias.expires_at} />
            </div>
          ))}
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function stateOf({ active, activated_at, expires_at }: Deployment): string {
  if (active) return activated_at === null ? "Live" : `Live since ${formatMoment(activated_at)}`;
  if (activated_at !== null) return `Published before, last on ${formatMoment(activated_at)}`;
  return expires_at === null ? "Preview" : `Preview, until ${formatMoment(expires_at)}`;
}

function ChangedFiles({ site, number }: { site: string; number: number }): JSX.Element {
  const changes = useResource<DeploymentChanges>(`/sites/${site}/deployments/${number}/changes`, { fixed: true });
  const base = changes.data?.compared_with;
  return (
    <section class="section">
      <h3>{base ? `Changes compared with #${base}` : "Files"}</h3>
      <Loaded resource={changes} what="the changes" skeleton={<SkeletonRows rows={3} />}>
        {(data) => <FileList changes={data} />}
      </Loaded>
    </section>
  );
}

function FileList({ changes }: { changes: DeploymentChanges }): JSX.Element {
  const total = changes.added + changes.changed + changes.removed;
  if (total === 0) return <p class="muted">No files changed.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <ul class="changed-files" tabIndex={0} aria-label="Files">
        {changes.files.map(({ path, change }) => (
          <li key={path} class={`change ${change}`}>
            <span aria-hidden="true">{SIGNS[change]}</span>
            <span class="visually-hidden">{change} </span>
            <code>{path}</code>
          </li>
        ))}
      </ul>
      {changes.files.length < total && (
        <p class="muted small">and {count(total - changes.files.length, "more file")}</p>
      )}
    </>
  );
}
