import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../api/resource.ts";
import type { Deployment, DeploymentChanges } from "../../api/types.ts";
import { count } from "../../format.ts";
import { Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Dialog } from "../../parts/dialog.tsx";

const SIGNS = { added: "+", changed: "~", removed: "−" } as const;
const KINDS = ["added", "changed", "removed"] as const;

/** The changes of a deployment in three numbers; the files are loaded on demand. */
export function Changes({ deployment }: { deployment: Deployment }): JSX.Element {
  const { deployment_number: number, changes } = deployment;
  const [open, setOpen] = useState(false);
  if (changes?.compared_with === null) {
    return <span class="changes faint">{number === 1 ? "First deployment" : "Previous deployment deleted"}</span>;
  }
  const kinds = changes ? KINDS.filter((kind) => changes[kind] > 0) : [];
  if (changes && kinds.length === 0) return <span class="changes faint">No changes</span>;
  return (
    <>
      <button type="button" class="changes" onClick={() => setOpen(true)}>
        {kinds.map((kind) => (
          <span key={kind} class={`change ${kind}`}>
            <span aria-hidden="true">{SIGNS[kind]}</span>
            {changes?.[kind]}
            <span class="visually-hidden"> {kind}</span>
          </span>
        ))}
        {/* Very large ones are compared when somebody asks. */}
        {!changes && <span class="muted">Show changes</span>}
      </button>
      {open && <ChangedFiles deployment={deployment} onClose={() => setOpen(false)} />}
    </>
  );
}

function ChangedFiles({ deployment, onClose }: { deployment: Deployment; onClose: () => void }): JSX.Element {
  const { site_name: site, deployment_number: number } = deployment;
  const path = `/sites/${site}/deployments/${number}/changes`;
  const changes = useResource<DeploymentChanges>(path, { fixed: true });
  const before = deployment.changes?.compared_with ?? changes.data?.compared_with;
  return (
    <Dialog title={before ? `Changes from #${before} to #${number}` : `Changes in #${number}`} onClose={onClose}>
      <Loaded resource={changes} what="the changes" skeleton={<SkeletonRows rows={3} />}>
        {(data) => <FileList changes={data} />}
      </Loaded>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
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
