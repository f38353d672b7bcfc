import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { Access } from "../../src/domain/model/site-policy.ts";
import { INDEX_FILES } from "../../src/domain/rules/clean-urls.ts";
import { useResource } from "../api/resource.ts";
import type { Site } from "../api/types.ts";
import { count, formatBytes } from "../format.ts";
import { NotLoaded } from "../parts/basics.tsx";
import { TextField, VERBATIM } from "../parts/field.tsx";
import { Icon } from "../parts/icons.tsx";
import { useKept } from "../parts/kept.ts";
import { LifetimeField } from "../parts/lifetime-field.tsx";
import { keyOf } from "../parts/of-site.ts";
import { PUBLIC_SITES_OFF, useAccessPolicy } from "../parts/policy.ts";
import { accessChoice, accessOf } from "./access-choice.ts";
import type { Upload } from "./collect.ts";
import { sizeOf } from "./send.ts";
import { type Target, targetOf } from "./target.ts";

interface Draft {
  readonly name: string;
  /** Null until it is chosen. */
  readonly makePrivate: boolean | null;
  readonly message: string;
  readonly isPreview: boolean;
  readonly alias: string;
  /** When the preview expires, in the API's format. */
  readonly lifetime: string;
}

const NOTHING_CHOSEN = { makePrivate: null, message: "", isPreview: false, alias: "", lifetime: "30d" };

/** A deployment under review: the files and the target. */
export interface Plan {
  readonly draft: Draft;
  readonly change: (draft: Draft) => void;
  readonly name: string;
  readonly target: Target;
  /** The access to ask for; null to leave it to the server. */
  readonly access: Access | null;
}

/** Returns the plan for the files; `site` is the site of the current page. */
export function usePlan(site: string | null, upload: Upload | null): Plan {
  const start = { name: upload?.suggestedName ?? "", ...NOTHING_CHOSEN };
  const [draft, change] = useKept<Draft>(draftKey(site, upload), start);
  const sites = useResource<Site[]>("/sites");
  const name = site ?? draft.name;
  const target = targetOf(name, sites.data);
  return { draft, change, name, target, access: accessOf(target, useAccessPolicy(), draft.makePrivate) };
}

/** The key of the draft, which distinguishes folders: by suggested name, otherwise by their files. */
export function draftKey(site: string | null, upload: Upload | null): string {
  if (site !== null) return keyOf(site, "deploy");
  const paths = upload?.kind === "folder" ? upload.files.map(({ path }) => path) : [];
  return `deploy.${upload?.suggestedName}.${paths.slice(0, 10).join(".")}`;
}

export function Review(props: {
  upload: Upload;
  site: string | null;
  plan: Plan;
  start: () => void;
  back: () => void;
}): JSX.Element {
  const { upload, site, plan } = props;
  const { draft, change, target } = plan;
  // On the page of a site, the target is known even if the list of sites is not loaded.
  const ready = site !== null || target.kind === "create" || target.kind === "update";
  const submit = (event: Event) => {
    event.preventDefault();
    if (ready) props.start();
  };
  return (
    <form class="form" onSubmit={submit}>
      <Contents upload={upload} />
      {site === null && <NameField plan={plan} />}
      <TextField
        label="Message"
        placeholder="What changed (optional)"
        maxLength={MAX_MESSAGE}
        value={draft.message}
        change={(message) => change({ ...draft, message })}
      />
      <PreviewFields plan={plan} />
      <AccessField plan={plan} />
      <div class="dialog-actions">
        <button type="button" class="button" onClick={props.back}>
          Back
        </button>
        <button type="submit" class="button primary" aria-disabled={!ready}>
          {actionOf(site, plan)}
        </button>
      </div>
    </form>
  );
}

/** The server's limit. */
const MAX_MESSAGE = 1000;

function actionOf(site: string | null, { draft, name, target }: Plan): string {
  if (draft.isPreview) return "Deploy preview";
  return site === null && target.kind === "update" ? `Update ${name}` : "Deploy";
}

/** A preview has its own URL, and a name and an end if that is wanted. */
function PreviewFields({ plan: { draft, change } }: { plan: Plan }): JSX.Element {
  return (
    <>
      <label class="switch">
        <input
          type="checkbox"
          checked={draft.isPreview}
          onChange={(event) => change({ ...draft, isPreview: event.currentTarget.checked })}
        />
        <span>
          As a preview <span class="hint">it gets a URL of its own, and the site stays as it is</span>
        </span>
      </label>
      {draft.isPreview && (
        <div class="field">
          <div class="form-row">
            <TextField
              label="Alias"
              placeholder="staging (optional)"
              {...VERBATIM}
              value={draft.alias}
              change={(alias) => change({ ...draft, alias })}
            />
            <LifetimeField value={draft.lifetime} choose={(lifetime) => change({ ...draft, lifetime })} />
          </div>
          <span class="hint">
            {draft.alias.trim() === "" ? "Without an alias, its URL has its number." : "Its URL begins with the alias."}
          </span>
        </div>
      )}
    </>
  );
}

function AccessField({ plan: { draft, change, target } }: { plan: Plan }): JSX.Element | null {
  const choice = accessChoice(target, useAccessPolicy());
  if (choice === null) return null;
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={choice.isFixed ? choice.isPrivate : (draft.makePrivate ?? choice.isPrivate)}
        disabled={choice.isFixed}
        onChange={(event) => change({ ...draft, makePrivate: event.currentTarget.checked })}
      />
      <span>
        Private{" "}
        <span class="hint">{choice.isFixed ? PUBLIC_SITES_OFF : "only its members and readers can open it"}</span>
      </span>
    </label>
  );
}

function NameField({ plan: { draft, change, target } }: { plan: Plan }): JSX.Element {
  const sites = useResource<Site[]>("/sites");
  const about = useId();
  return (
    <>
      <div class="field">
        <TextField
          label="Site name"
          placeholder="generated if empty"
          maxLength={50}
          aria-invalid={target.kind === "refused"}
          aria-describedby={about}
          {...VERBATIM}
          value={draft.name}
          change={(name) => change({ ...draft, name })}
        />
        <div id={about} role="status">
          <About target={target} isPreview={draft.isPreview} />
        </div>
      </div>
      {target.kind === "unknown" && <NotLoaded resource={sites} what="your sites" />}
    </>
  );
}

function About({ target, isPreview }: { target: Target; isPreview: boolean }): JSX.Element {
  switch (target.kind) {
    case "create":
      return <span class="hint">Lower-case letters, digits and single hyphens.</span>;
    case "unknown":
      return <span class="hint">Checking whether you have a site of that name …</span>;
    case "refused":
      return <span class="error">{target.reason}</span>;
    case "update":
      return (
        <p class="notice">
          You already have a site named <strong>{target.site.name}</strong>.{" "}
          {isPreview
            ? "The preview is added to it."
            : "This deployment replaces its live version; you can roll back at any time."}
        </p>
      );
  }
}

function Contents({ upload }: { upload: Upload }): JSX.Element {
  const hasStart = upload.kind === "archive" || upload.files.some(({ path }) => INDEX_FILES.includes(path));
  return (
    <div class="contents">
      <Icon name={upload.kind === "archive" ? "upload" : "folder"} size={20} />
      <span>
        {upload.kind === "archive" ? upload.file.name : count(upload.files.length, "file")}
        <span class="muted"> · {formatBytes(sizeOf(upload))}</span>
      </span>
      {!hasStart && (
        <p class="notice warn">There is no index.html in the top folder: the site will have no home page.</p>
      )}
    </div>
  );
}
