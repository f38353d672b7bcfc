import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import type { Publisher, PublisherRequest } from "../../../api/types.ts";
import { Copyable } from "../../../parts/basics.tsx";
import { useClientSource } from "../../../parts/command-line.ts";
import { Problem, useOperation } from "../../../parts/dialog.tsx";
import { Segments, TextField, VERBATIM } from "../../../parts/field.tsx";
import { fullRef, PROVIDERS } from "./publisher-words.ts";
import { workflowFile } from "./workflow-file.ts";

interface Props {
  readonly site: string;
  readonly added: (publisher: Publisher) => void;
  readonly cancel: () => void;
}

/** The input before validation. */
interface Draft {
  readonly provider: Publisher["provider"];
  readonly permission: Publisher["permission"];
  readonly repository: string;
  readonly workflow: string;
  readonly branch: string;
  readonly environment: string;
  readonly issuer: string;
}

const EMPTY: Draft = {
  provider: "github",
  permission: "publish",
  repository: "",
  workflow: "",
  branch: "main",
  environment: "",
  issuer: "",
};

/** Adds a trusted CI workflow, and shows the workflow file. */
export function PublisherForm({ site, added, cancel }: Props): JSX.Element {
  const [draft, setDraft] = useState(EMPTY);
  const { busy, problem, run } = useOperation();
  const change = (some: Partial<Draft>) => setDraft((now) => ({ ...now, ...some }));
  const request = requestOf(draft);
  const submit = (event: Event) => {
    event.preventDefault();
    if (!busy) void run(async () => added(await call<Publisher>("POST", `/sites/${site}/publishers`, request)));
  };
  return (
    <form class="card" onSubmit={submit} aria-labelledby="new-publisher">
      <div class="card-head">
        <h2 id="new-publisher" class="grow" tabIndex={-1}>
          New publisher
        </h2>
      </div>
      <div class="card-body">
        <div class="line">
          <Providers draft={draft} change={change} />
          <Permissions draft={draft} change={change} />
        </div>
        <Conditions draft={draft} change={change} />
        <p class="small muted">
          A run must match everything that is filled in.{" "}
          {draft.permission === "publish" && "To publish, a branch or an environment is needed. "}
          The repository is pinned at its first deployment.
        </p>
        <WorkflowPreview site={site} request={request} />
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="button primary" aria-disabled={busy || draft.repository.trim() === ""}>
            Add this publisher
          </button>
          <button type="button" class="button" onClick={cancel}>
            Cancel
          </button>
        </div>
      </div>
    </form>
  );
}

function requestOf(draft: Draft): PublisherRequest {
  const text = (value: string) => (value.trim() === "" ? null : value.trim());
  return {
    provider: draft.provider,
    permission: draft.permission,
    repository: draft.repository.trim(),
    workflow: draft.provider === "gitlab" ? null : text(draft.workflow),
    ref: fullRef(draft.branch),
    environment: text(draft.environment),
    issuer: text(draft.issuer),
  };
}

interface ChoiceProps {
  readonly draft: Draft;
  readonly change: (some: Partial<Draft>) => void;
}

function Providers({ draft, change }: ChoiceProps): JSX.Element {
  return (
    <Segments
      label="CI system"
      options={(["github", "gitlab", "forgejo"] as const).map((provider) => [provider, PROVIDERS[provider].name])}
      value={draft.provider}
      choose={(provider) => change({ provider, issuer: "" })}
    />
  );
}

/** What a run must match. */
function Conditions({ draft, change }: ChoiceProps): JSX.Element {
  const { issuer, repository } = PROVIDERS[draft.provider];
  const field = (name: keyof Draft, label: string, placeholder: string, required = false) => (
    <TextField
      label={label}
      class="input"
      value={draft[name]}
      change={(text) => change({ [name]: text })}
      placeholder={placeholder}
      required={required}
      {...VERBATIM}
    />
  );
  return (
    <>
      <div class="form-row">
        {field("repository", "Repository", repository, true)}
        {draft.provider !== "gitlab" && field("workflow", "Workflow (optional)", "deploy.yml")}
      </div>
      <div class="form-row">
        {field("branch", "Branch", "any")}
        {field("environment", "Environment (optional)", "production")}
      </div>
      {(draft.provider !== "github" || draft.issuer !== "") && (
        <div class="form-row">
          {issuer === null
            ? field("issuer", "Issuer (optional)", "https://gitlab.com")
            : field("issuer", "Issuer", issuer, true)}
        </div>
      )}
    </>
  );
}

const PERMISSIONS = [
  ["publish", "May publish"],
  ["preview", "Previews only"],
] as const;

/** A preview can come from any branch, so the default branch is omitted with that choice. */
function Permissions({ draft, change }: ChoiceProps): JSX.Element {
  const choose = (permission: Draft["permission"]) =>
    change({ permission, branch: permission === "preview" && draft.branch === EMPTY.branch ? "" : draft.branch });
  return <Segments label="Permission" options={PERMISSIONS} value={draft.permission} choose={choose} />;
}

function WorkflowPreview({ site, request }: { site: string; request: PublisherRequest }): JSX.Element {
  const source = useClientSource();
  const { provider, permission, workflow = null, ref = null, environment = null } = request;
  const file = workflowFile({ provider, permission, workflow, ref, environment, site, source });
  return (
    <details open>
      <summary class="small">
        Workflow file <code>{file.path}</code>
      </summary>
      <Copyable text={file.text} label="the workflow file" block />
    </details>
  );
}
