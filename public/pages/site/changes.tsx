import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../api/resource.ts";
import type { DeploymentChanges } from "../../api/types.ts";
import { count } from "../../format.ts";
import { Dialog } from "../../parts/dialog.tsx";

const SIGNS = { added: "+", changed: "~", removed: "−" } as const;

/** How a deployment differs from the one before, in three numbers; the files themselves on demand. */
export function Changes({ site, number }: { site: string; number: number }): JSX.Element {
  const path = `/sites/${site}/deployments/${number}/changes`;
  const { data, error, reload } = useResource<DeploymentChanges>(path, { fixed: true });
  const [open, setOpen] = useState(false);
  if (!data && error) {
    return (
      <button type="button" class="changes faint" title={error.detail} onClick={reload}>
        could not load changes, retry
      </button>
    );
  }
  if (!data) return <span class="changes">&nbsp;</span>;
  if (data.compared_with === null) {
    return <span class="changes faint">{number === 1 ? "First deployment" : "Previous deployment deleted"}</span>;
  }
  const kinds = (["added", "changed", "removed"] as const).filter((kind) => data[kind] > 0);
  if (kinds.length === 0) return <span class="changes faint">No changes</span>;
  return (
    <>
      <button type="button" class="changes" onClick={() => setOpen(true)}>
        {kinds.map((kind) => (
          <span key={kind} class={`change ${kind}`}>
            <span aria-hidden="true">{SIGNS[kind]}</span>
            {data[kind]}
            <span class="visually-hidden"> {kind}</span>
          </span>
        ))}
      </button>
      {open && <ChangedFiles changes={data} onClose={() => setOpen(false)} />}
    </>
  );
}

function ChangedFiles({ changes, onClose }: { changes: DeploymentChanges; onClose: () => void }): JSX.Element {
  const total = changes.added + changes.changed + changes.removed;
  return (
    <Dialog title={`Changes from #${changes.compared_with} to #${changes.deployment_number}`} onClose={onClose}>
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
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
