import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useResource } from "../api/resource.ts";
import type { Site } from "../api/types.ts";
import { count, formatBytes } from "../format.ts";
import { Icon } from "../parts/icons.tsx";
import { useKept } from "../parts/kept.ts";
import { keyOf } from "../parts/of-site.ts";
import { Warnings } from "../parts/warnings.tsx";
import { sitePath } from "../router.ts";
import { collectPicked, type Reading, type Upload } from "./collect.ts";
import { type deploy, type Progress, sizeOf } from "./send.ts";

/** For those who would rather click than drag, and for telephones. */
export function Picker({ pick, onClose }: { pick: (upload: Upload | null) => void; onClose: () => void }): JSX.Element {
  const choose = (event: Event & { currentTarget: HTMLInputElement }) => {
    if (event.currentTarget.files) pick(collectPicked(event.currentTarget.files));
  };
  return (
    <>
      <p class="muted">Drag a folder or a ZIP anywhere onto this page, or choose one.</p>
      <div class="choices">
        <label class="choice">
          <input type="file" class="visually-hidden" ref={takeFolders} onChange={choose} />
          <Icon name="folder" size={20} />
          <span>Choose a folder</span>
        </label>
        <label class="choice">
          <input type="file" class="visually-hidden" accept=".zip,.html,.htm" onChange={choose} />
          <Icon name="upload" size={20} />
          <span>Choose a ZIP or a page</span>
        </label>
      </div>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </>
  );
}

/** Milliseconds between two looks at how far the reading is. */
const LOOK_EVERY = 100;

/** A large folder takes the browser a while. */
export function ReadingFolder({ reading, cancel }: { reading: Reading; cancel: () => void }): JSX.Element {
  const [found, setFound] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setFound(reading.found()), LOOK_EVERY);
    return () => clearInterval(timer);
  }, [reading]);
  return (
    <>
      <div class="progress">
        <span id="progress-label">Reading the folder</span>
        <span class="muted number">{count(found, "file")}</span>
        <progress aria-labelledby="progress-label" />
      </div>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
      </div>
    </>
  );
}

/** The attribute is older than its standard, and unknown to the types. */
function takeFolders(input: HTMLInputElement | null): void {
  input?.toggleAttribute("webkitdirectory", true);
}

interface Draft {
  readonly name: string;
  readonly makePrivate: boolean;
}

/** What was filled in for one folder does not turn up with another: many suggest no name, so that their files tell. */
export function draftKey(site: string | null, upload: Upload): string {
  if (site !== null) return keyOf(site, "deploy");
  const paths = upload.kind === "archive" ? [] : upload.files.map(({ path }) => path);
  return `deploy.${upload.suggestedName}.${paths.slice(0, 10).join(".")}`;
}

export function Review(props: {
  upload: Upload;
  site: string | null;
  start: (siteName: string, makePrivate: boolean) => void;
  back: () => void;
}): JSX.Element {
  const { upload, site } = props;
  const [draft, setDraft] = useKept<Draft>(draftKey(site, upload), { name: upload.suggestedName, makePrivate: false });
  const sites = useResource<Site[]>("/sites");
  const name = site ?? draft.name;
  const existing = sites.data?.find((known) => known.name === name);
  const mayProtect = existing?.private !== true;
  const submit = (event: Event) => {
    event.preventDefault();
    props.start(name, draft.makePrivate && mayProtect);
  };
  return (
    <form class="form" onSubmit={submit}>
      <Contents upload={upload} />
      {site === null && (
        <label class="field">
          <span>Site name</span>
          <input
            value={draft.name}
            placeholder="made up for you"
            pattern="[a-z0-9]+(-[a-z0-9]+)*"
            maxLength={50}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            onInput={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          />
          <span class="hint">
            {existing ? "A new version of your site of that name." : "Small letters, digits and single hyphens."}
          </span>
        </label>
      )}
      {mayProtect && (
        <label class="switch">
          <input
            type="checkbox"
            checked={draft.makePrivate}
            onChange={(event) => setDraft({ ...draft, makePrivate: event.currentTarget.checked })}
          />
          <span>
            Private <span class="hint">only you and the readers you add can open it</span>
          </span>
        </label>
      )}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={props.back}>
          Back
        </button>
        <button type="submit" class="button primary">
          Deploy
        </button>
      </div>
    </form>
  );
}

function Contents({ upload }: { upload: Upload }): JSX.Element {
  const hasStart = upload.kind === "archive" || upload.files.some(({ path }) => path === "index.html");
  return (
    <div class="contents">
      <Icon name={upload.kind === "archive" ? "upload" : "folder"} size={20} />
      <span>
        {upload.kind === "archive" ? upload.file.name : count(upload.files.length, "file")}
        <span class="muted"> · {formatBytes(sizeOf(upload))}</span>
      </span>
      {!hasStart && <p class="notice warn">There is no index.html at the top: the start page will be missing.</p>}
    </div>
  );
}

const STEPS: Record<Progress["step"], string> = {
  preparing: "Getting ready",
  packing: "Packing your files",
  sending: "Sending",
  publishing: "Checking and publishing",
};

export function ProgressBar({ progress, cancel }: { progress: Progress; cancel: () => void }): JSX.Element {
  const { step, share } = progress;
  return (
    <>
      <div class="progress">
        <span id="progress-label" role="status">
          {STEPS[step]}
        </span>
        <span class="muted number">{share === null ? "" : `${Math.round(share * 100)} %`}</span>
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

export function Done(props: { published: Awaited<ReturnType<typeof deploy>>; onClose: () => void }): JSX.Element {
  const { url, site_name, deployment_number, deployment } = props.published;
  return (
    <>
      <p>
        <a href={url} target="_blank" rel="noopener">
          {url.replace(/^https?:\/\//, "")}
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
          Open its page
        </a>
        <a class="button primary" href={url} target="_blank" rel="noopener">
          Visit <Icon name="arrowUpRight" />
        </a>
      </div>
    </>
  );
}
