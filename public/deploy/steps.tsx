import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { DeployResult } from "../api/types.ts";
import { count, formatBytes, withoutScheme } from "../format.ts";
import { CloseAction } from "../parts/dialog.tsx";
import { Icon } from "../parts/icons.tsx";
import { Warnings } from "../parts/warnings.tsx";
import { sitePath } from "../router.ts";
import { collectPicked, type Reading, type Upload } from "./collect.ts";
import type { deploy, Progress } from "./send.ts";

/** The alternative to dropping, also for phones. */
export function Picker({ pick, onClose }: { pick: (upload: Upload | null) => void; onClose: () => void }): JSX.Element {
  const choose = (event: Event & { currentTarget: HTMLInputElement }) => {
    if (event.currentTarget.files) pick(collectPicked(event.currentTarget.files));
  };
  return (
    <>
      <p class="muted">Drag a folder or a ZIP anywhere onto this page, or choose one here.</p>
      <div class="file-choices">
        <label class="file-choice">
          <input type="file" class="visually-hidden" ref={takeFolders} onChange={choose} />
          <Icon name="folder" size={20} />
          <span>Choose a folder</span>
        </label>
        <label class="file-choice">
          <input type="file" class="visually-hidden" accept=".zip,.html,.htm" onChange={choose} />
          <Icon name="upload" size={20} />
          <span>Choose a ZIP or HTML file</span>
        </label>
      </div>
      <CloseAction name="Cancel" onClose={onClose} />
    </>
  );
}

/** The interval at which the reading progress is updated. */
const LOOK_INTERVAL_MS = 100;

/** Progress of reading, because a large folder takes a while. */
export function ReadingFolder({ reading, cancel }: { reading: Reading; cancel: () => void }): JSX.Element {
  const [found, setFound] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setFound(reading.found()), LOOK_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [reading]);
  return (
    <>
      <div class="progress">
        <span id="progress-label">Reading files</span>
        <span class="muted">{count(found, "file")}</span>
        <progress aria-labelledby="progress-label" />
      </div>
      <CloseAction name="Cancel" onClose={cancel} />
    </>
  );
}

/** `webkitdirectory` is missing in the types. */
function takeFolders(input: HTMLInputElement | null): void {
  input?.toggleAttribute("webkitdirectory", true);
}

const STEPS: Record<Progress["step"], string> = {
  preparing: "Preparing",
  packing: "Compressing files",
  sending: "Uploading",
  publishing: "Publishing",
};

export function ProgressBar({ progress, cancel }: { progress: Progress; cancel: () => void }): JSX.Element {
  const { step, share } = progress;
  return (
    <>
      <div class="progress">
        <span id="progress-label" role="status">
          {STEPS[step]}
        </span>
        <span class="muted">{share === null ? "" : `${Math.round(share * 100)} %`}</span>
        <progress aria-labelledby="progress-label" {...(share === null ? {} : { value: share })} />
      </div>
      <div class="dialog-actions">
        <button type="button" class="button" aria-disabled={step === "publishing"} onClick={cancel}>
          Cancel
        </button>
      </div>
    </>
  );
}

/** Where the deployment can be seen. */
function urlOf({ active, url, alias_url, deployment_url }: DeployResult): string {
  return active ? url : (alias_url ?? deployment_url);
}

export function Done(props: { published: Awaited<ReturnType<typeof deploy>>; onClose: () => void }): JSX.Element {
  const { site_name, deployment_number, deployment } = props.published;
  const url = urlOf(props.published);
  return (
    <>
      <p>
        <a href={url} target="_blank" rel="noopener">
          {withoutScheme(url)}
        </a>
      </p>
      {deployment && (
        <p class="muted">
          Deployment {deployment_number} · {count(deployment.file_count, "file")} · {formatBytes(deployment.size_bytes)}
        </p>
      )}
      {deployment && deployment.warnings.length > 0 && (
        <div class="notice warn">
          <Warnings warnings={deployment.warnings} />
        </div>
      )}
      <div class="dialog-actions">
        <a class="button" href={sitePath(site_name)} onClick={props.onClose}>
          Manage site
        </a>
        <a class="button primary" href={url} target="_blank" rel="noopener">
          Visit <Icon name="arrowUpRight" />
        </a>
      </div>
    </>
  );
}
