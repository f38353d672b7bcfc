import type { JSX } from "preact";
import { useReducer, useRef } from "preact/hooks";
import { call } from "../../../api/client.ts";
import type { Resource } from "../../../api/resource.ts";
import type { PreviewPolicy, Site } from "../../../api/types.ts";
import { SelectField } from "../../../parts/field.tsx";
import { LifetimeField } from "../../../parts/lifetime-field.tsx";
import { useAccessPolicy } from "../../../parts/policy.ts";
import { announce, attempt } from "../../../parts/toasts.tsx";
import { accessWords } from "./preview-words.ts";

const ACCESS: readonly (readonly [access: PreviewPolicy["access"], words: string])[] = [
  ["site", "Same as the site"],
  ["private", "Members, readers and shares"],
  ["public", "Everyone"],
];

interface Props {
  readonly site: Site;
  readonly policy: Resource<PreviewPolicy>;
  readonly now: PreviewPolicy;
}

export function policyPath(site: string): string {
  return `/sites/${site}/previews`;
}

/** Who may open previews, and how long new ones exist. A choice is saved at once, and can be undone. */
export function PreviewPolicySection({ site, policy, now }: Props): JSX.Element {
  const mayMakePublic = useAccessPolicy()?.mayMakePublic !== false;
  const isClosed = site.private && !mayMakePublic;
  const [, redraw] = useReducer((count: number, _saved: null) => count + 1, 0);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const set = async (change: Partial<PreviewPolicy>, before: Partial<PreviewPolicy> | null) => {
    const saved = await call<PreviewPolicy>("PUT", policyPath(site.name), change);
    policy.set(() => saved);
    const words =
      "access" in change
        ? `Previews: ${accessWords(saved.access, site.private)}.`
        : "The expiry of new previews is saved.";
    announce(words, before && (() => set(before, null)));
  };
  // One after the other, because concurrent requests can arrive out of order. The fields stay enabled meanwhile: a
  // disabled field loses the focus.
  const choose = (name: keyof PreviewPolicy, value: string) => {
    const save = () => attempt(() => set({ [name]: value }, { [name]: now[name] }));
    // Shows the former choice again if the new one was refused.
    last.current = last.current.then(save).then(() => redraw(null));
  };
  return (
    <section class="card" aria-labelledby="previews">
      <div class="card-body setting-row">
        <div class="grow">
          <h2 id="previews">Previews</h2>
          <p class="small muted">Deployments that were never published. Search engines never list them.</p>
        </div>
        <fieldset class="form-row" disabled={site.frozen !== undefined}>
          <legend class="visually-hidden">Previews</legend>
          <SelectField
            label="Who can open them"
            options={isClosed ? ACCESS.filter(([access]) => access !== "public" || now.access === "public") : ACCESS}
            value={now.access}
            choose={(access) => choose("access", access)}
          />
          <LifetimeField
            label="New ones expire after"
            value={now.expires_in}
            choose={(lifetime) => choose("expires_in", lifetime)}
          />
        </fieldset>
      </div>
    </section>
  );
}
