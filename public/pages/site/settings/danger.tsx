import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { FORMER_NAME_KEPT_DAYS } from "../../../../src/domain/model/site-name.ts";
import { call } from "../../../api/client.ts";
import { refresh } from "../../../api/resource.ts";
import type { Site } from "../../../api/types.ts";
import { ConfirmButton } from "../../../parts/dialog.tsx";
import { forgetSite } from "../../../parts/of-site.ts";
import { announce } from "../../../parts/toasts.tsx";
import { navigate, routeOf, SITES } from "../../../router.ts";
import { RenameDialog } from "./rename.tsx";

export function DangerZone({ site }: { site: Site }): JSX.Element {
  const [renaming, setRenaming] = useState(false);
  const remove = async () => {
    await call("DELETE", `/sites/${site.name}`);
    forgetSite(site.name);
    refresh("/sites");
    // The user may have navigated elsewhere meanwhile.
    const here = routeOf(location.pathname);
    if (here?.page === "site" && here.site === site.name) navigate(SITES);
    announce(`${site.name} was deleted.`);
  };
  return (
    <>
      <div class="section-head">
        <h2>Danger zone</h2>
      </div>
      <div class="card">
        <ul class="list danger-list">
          <li>
            <div class="grow">
              <p class="strong">Rename this site</p>
              <p class="tiny muted">
                Its URL changes with its name. Links to the present one lead to the new one for {FORMER_NAME_KEPT_DAYS}{" "}
                days.
              </p>
            </div>
            <button
              type="button"
              class="button small"
              aria-disabled={site.frozen !== undefined}
              onClick={() => setRenaming(true)}
            >
              Rename {site.name}…
            </button>
          </li>
          <li>
            <div class="grow">
              <p class="strong">Delete this site</p>
              <p class="tiny muted">
                Its deployments, tokens, readers and statistics. The URL is offline at once, and nobody else can use the
                name for 30 days. Remove the custom domains first.
              </p>
            </div>
            <ConfirmButton
              label={`Delete ${site.name}…`}
              class="small risky"
              title={`Delete ${site.name}?`}
              action="Delete site"
              phrase={site.name}
              onConfirm={remove}
            >
              <p class="muted">This cannot be undone. To keep a copy, download a deployment first.</p>
            </ConfirmButton>
          </li>
        </ul>
      </div>
      {renaming && <RenameDialog site={site} onClose={() => setRenaming(false)} />}
    </>
  );
}
