import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../api/resource.ts";
import type { AuditEntry } from "../../api/types.ts";
import { Ago, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Icon } from "../../parts/icons.tsx";

const LIMIT = 200;
const NO_FILTER = { actor: "", site: "" };

/** The audit log of all users, with filters and export. */
export function AuditTab(): JSX.Element {
  const [typed, setTyped] = useState(NO_FILTER);
  const [filter, setFilter] = useState(NO_FILTER);
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""));
  const entries = useResource<AuditEntry[]>(`/admin/audit?${query}${query.size > 0 ? "&" : ""}limit=${LIMIT}`);
  const apply = (event: Event) => {
    event.preventDefault();
    setFilter({ actor: typed.actor.trim(), site: typed.site.trim() });
  };
  const field = (name: keyof typeof NO_FILTER, label: string) => (
    <label class="field">
      {label}
      <input
        value={typed[name]}
        autocomplete="off"
        onInput={(event) => {
          const text = event.currentTarget.value;
          setTyped((now) => ({ ...now, [name]: text }));
        }}
      />
    </label>
  );
  return (
    <section class="section">
      <form class="form-row" onSubmit={apply}>
        {field("actor", "Who")}
        {field("site", "Site")}
        <button type="submit" class="button">
          Filter
        </button>
        <a class="button" href={`/admin/audit?${query}${query.size > 0 ? "&" : ""}format=csv`} download>
          <Icon name="download" /> CSV
        </a>
      </form>
      <Loaded resource={entries} what="the audit log" skeleton={<SkeletonRows rows={6} />}>
        {(all) =>
          all.length === 0 ? (
            <p class="muted">No changes match.</p>
          ) : (
            <div class="card">
              <table class="list">
                <thead>
                  <tr>
                    <th scope="col">Change</th>
                    <th scope="col">Site</th>
                    <th scope="col">Who</th>
                    <th scope="col">When</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((entry) => (
                    <tr key={entry.id}>
                      <th scope="row">
                        <span class="list-name">{entry.summary}</span>
                        <span class="list-sub">{entry.address === "" ? entry.action : entry.address}</span>
                      </th>
                      <td>{entry.site ?? <span class="muted">none</span>}</td>
                      <td>{entry.actor === "" ? <span class="muted">{entry.kind}</span> : entry.actor}</td>
                      <td>
                        <Ago at={entry.at} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </section>
  );
}
