import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { FORMER_NAME_KEPT_DAYS, siteNameProblem } from "../../../../src/domain/model/site-name.ts";
import { call } from "../../../api/client.ts";
import { useResource } from "../../../api/resource.ts";
import type { HostingCapability, Site } from "../../../api/types.ts";
import { Dialog, FormActions, useOperation } from "../../../parts/dialog.tsx";
import { TextField, VERBATIM } from "../../../parts/field.tsx";
import { announce } from "../../../parts/toasts.tsx";

/** Asks for another name and says what happens to the present one. The page of the site then follows its name. */
export function RenameDialog({ site, onClose }: { site: Site; onClose: () => void }): JSX.Element {
  const sites = useResource<Site[]>("/sites");
  const [text, setText] = useState(site.name);
  const { busy, problem, run, dismiss } = useOperation();
  const about = useId();
  const name = text.trim();
  const flaw = name === "" ? null : siteNameProblem(name);
  const ready = name !== "" && name !== site.name && flaw === null;
  const rename = async () => {
    const renamed = await call<Site>("POST", `/sites/${site.name}/rename`, { name });
    onClose();
    sites.set((all) => all.map((other) => (other.name === site.name ? renamed : other)));
    announce(`${site.name} is now called ${renamed.name}.`);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (ready && !busy) void run(rename);
  };
  const type = (typed: string) => {
    dismiss();
    setText(typed);
  };
  const wrong = problem ?? (flaw && `Choose another name: ${flaw}.`);
  return (
    <Dialog title={`Rename ${site.name}`} closable={!busy} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <div class="field">
          <TextField
            label="New name"
            value={text}
            change={type}
            maxLength={50}
            required
            aria-invalid={wrong !== null}
            aria-describedby={about}
            {...VERBATIM}
          />
          <div id={about} role="status">
            {wrong === null ? <NewUrl name={name} /> : <span class="error">{wrong}</span>}
          </div>
        </div>
        <p class="muted small">
          For {FORMER_NAME_KEPT_DAYS} days, links to {site.name} and to its previews lead to the new name, deployments
          that still use {site.name} work, and nobody else can take it. Everything else of the site stays.
        </p>
        <FormActions action="Rename" ready={ready} busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function NewUrl({ name }: { name: string }): JSX.Element | null {
  const hosting = useResource<HostingCapability>("/capabilities/hosting", { fixed: true });
  if (name === "" || !hosting.data) return null;
  return <span class="hint">{hosting.data.site_url.replace("{site}", () => name)}</span>;
}
