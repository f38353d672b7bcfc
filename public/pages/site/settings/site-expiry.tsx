import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import { useResource } from "../../../api/resource.ts";
import type { Site } from "../../../api/types.ts";
import { formatMoment } from "../../../format.ts";
import { Problem, useOperation } from "../../../parts/dialog.tsx";
import { LifetimeField } from "../../../parts/lifetime-field.tsx";
import { announce } from "../../../parts/toasts.tsx";

/** When the site expires. */
export function SiteExpirySection({ site }: { site: Site }): JSX.Element {
  const sites = useResource<Site[]>("/sites");
  const [lifetime, setLifetime] = useState("30d");
  const { busy, problem, run } = useOperation();
  const set = (change: { expires_in: string } | { expires_at: null }) =>
    run(async () => {
      const saved = await call<Site>("PUT", `/sites/${site.name}/expiry`, change);
      sites.set((all) => all.map((other) => (other.name === saved.name ? saved : other)));
      announce(
        saved.expires_at === null ? "The site stays." : `The site expires on ${formatMoment(saved.expires_at)}.`,
      );
    });
  const submit = (event: Event) => {
    event.preventDefault();
    if (!busy) void set({ expires_in: lifetime });
  };
  return (
    <section class="section">
      <div class="section-head">
        <h2>Site expiry</h2>
        <p class="muted small">
          Visitors of an expired site get a page that says so. You can bring it back for seven days; then it is deleted.
        </p>
      </div>
      <form class="card card-body form" onSubmit={submit}>
        <p>{sentenceOf(site)}</p>
        <div class="form-row">
          <LifetimeField label="Expires after, from now on" value={lifetime} choose={setLifetime} />
          <button type="submit" class="button primary" aria-disabled={busy}>
            Set expiry
          </button>
          {site.expires_at !== null && (
            <button type="button" class="button" aria-disabled={busy} onClick={() => set({ expires_at: null })}>
              Never expire
            </button>
          )}
        </div>
        <Problem text={problem} />
      </form>
    </section>
  );
}

function sentenceOf({ expires_at: at }: Site): string {
  if (at === null) return "This site does not expire.";
  return `This site ${Date.parse(at) > Date.now() ? "expires" : "expired"} on ${formatMoment(at)}.`;
}
