import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { refresh } from "../../api/resource.ts";
import type { Site } from "../../api/types.ts";
import { formatMoment } from "../../format.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { forgetSite } from "../../parts/of-site.ts";
import { announce } from "../../parts/toasts.tsx";
import { navigate, routeOf, SITES } from "../../router.ts";

export function DangerZone({ site }: { site: Site }): JSX.Element {
  const [asking, setAsking] = useState(false);
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
      <section class="section">
        <h2>General</h2>
        <dl class="card card-body facts">
          <dt>Created</dt>
          <dd>{formatMoment(site.created)}</dd>
          <dt>Last deployed</dt>
          <dd>{formatMoment(site.last_deployed_at)}</dd>
        </dl>
      </section>
      <section class="section">
        <h2>Delete site</h2>
        <div class="card card-body danger-zone">
          <p>
            This deletes the site with its deployments, tokens and readers, and takes its address offline at once.
            Nobody else can use the name for 30 days. Remove the custom domains first.
          </p>
          <div>
            <button type="button" class="button" onClick={() => setAsking(true)}>
              Delete {site.name}…
            </button>
          </div>
        </div>
      </section>
      {asking && (
        <Confirm
          title={`Delete ${site.name}?`}
          action="Delete site"
          phrase={site.name}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p class="muted">This cannot be undone. To keep a copy, download a deployment first.</p>
        </Confirm>
      )}
    </>
  );
}
