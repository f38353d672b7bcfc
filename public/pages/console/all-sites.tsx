import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { refresh } from "../../api/resource.ts";
import type { OperatedSite, OperatedSiteList } from "../../api/types.ts";
import { formatBytes, formatNumber } from "../../format.ts";
import { Ago } from "../../parts/basics.tsx";
import { Confirm, Dialog, Problem, useProblem } from "../../parts/dialog.tsx";
import { announce } from "../../parts/toasts.tsx";
import { ListedTable, useListed } from "./list.tsx";
import { useRecentSignIn } from "./recent-sign-in.tsx";

export function AllSitesTab(): JSX.Element {
  const listed = useListed<OperatedSiteList>("/admin/sites");
  const [managed, setManaged] = useState<string | null>(null);
  const site = listed.resource.data?.sites.find(({ name }) => name === managed);
  return (
    <>
      <ListedTable
        listed={listed}
        what="the sites"
        search="Find a site or an owner"
        head={
          <tr>
            <th scope="col">Site</th>
            <th scope="col">Owner</th>
            <th scope="col" class="number">
              Views, 30 days
            </th>
            <th scope="col" class="number">
              Storage
            </th>
            <th scope="col">Deployed</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        }
        rows={({ sites }) =>
          sites.map((row) => <SiteRow key={row.name} site={row} manage={() => setManaged(row.name)} />)
        }
      />
      {site && <ManageSite site={site} onClose={() => setManaged(null)} />}
    </>
  );
}

function SiteRow({ site, manage }: { site: OperatedSite; manage: () => void }): JSX.Element {
  return (
    <tr>
      <th scope="row">
        <span class="list-name">
          {site.name}
          {site.private && <span class="badge">Private</span>}
          {site.frozen && <span class="badge bad">Frozen</span>}
        </span>
        <a class="list-sub" href={site.url} target="_blank" rel="noopener">
          {site.url.replace(/^https?:\/\//, "")}
        </a>
      </th>
      <td>{site.owner}</td>
      <td class="number" data-label="views">
        {formatNumber(site.views_30d)}
      </td>
      <td class="number">{formatBytes(site.bytes)}</td>
      <td>
        <Ago at={site.last_deployed_at} />
      </td>
      <td class="list-actions">
        <button type="button" class="button small" onClick={manage}>
          Manage<span class="visually-hidden"> {site.name}</span>
        </button>
      </td>
    </tr>
  );
}

function ManageSite({ site, onClose }: { site: OperatedSite; onClose: () => void }): JSX.Element {
  const path = `/admin/sites/${site.name}`;
  const [reason, setReason] = useState("");
  const [owner, setOwner] = useState("");
  const [deleting, setDeleting] = useState(false);
  const [problem, setProblem] = useProblem();
  const [recently, confirmPassword] = useRecentSignIn();
  const act = async (operation: () => Promise<unknown>, done: string) => {
    setProblem(null);
    try {
      await operation();
      await refresh("/admin/");
      announce(done);
    } catch (error) {
      setProblem(error);
    }
  };
  const freeze = () => {
    const frozen = site.frozen ? null : { reason: reason.trim() || null };
    return act(() => call("PATCH", path, { frozen }), `${site.name} is ${frozen ? "frozen" : "unfrozen"}.`);
  };
  const transfer = (event: Event) => {
    event.preventDefault();
    const login = owner.trim();
    if (login === "") return;
    void act(() => call("POST", `${path}/transfer`, { login }), `${site.name} belongs to ${login} now.`);
  };
  if (confirmPassword) return confirmPassword;
  if (deleting) {
    return (
      <Confirm
        title={`Delete ${site.name}?`}
        action="Delete site"
        phrase={site.name}
        onConfirm={async () => {
          await recently(() => call("DELETE", path));
          await refresh("/admin/");
          announce(`${site.name} was deleted.`);
          onClose();
        }}
        onClose={() => setDeleting(false)}
      >
        <p class="muted">Its owner, {site.owner}, loses all its deployments. This cannot be undone.</p>
      </Confirm>
    );
  }
  return (
    <Dialog title={site.name} onClose={onClose}>
      <div class="form">
        <ul class="card rows">
          <li class="row">
            <div class="grow">
              <h3>{site.frozen ? "Unfreeze" : "Freeze"}</h3>
              <p class="muted small">
                {site.frozen ? "Visitors can open the site again." : "Visitors get 403, and nothing can be deployed."}
              </p>
              {!site.frozen && (
                <input
                  aria-label="Reason, shown to the owner"
                  placeholder="Reason, shown to the owner"
                  value={reason}
                  maxLength={500}
                  onInput={(event) => setReason(event.currentTarget.value)}
                />
              )}
            </div>
            <button type="button" class="button small" onClick={freeze}>
              {site.frozen ? "Unfreeze" : "Freeze"}
            </button>
          </li>
          <li class="row">
            <form class="form-row grow" onSubmit={transfer}>
              <label class="field">
                Transfer to
                <input
                  value={owner}
                  autocomplete="off"
                  autocapitalize="none"
                  placeholder="login"
                  onInput={(event) => setOwner(event.currentTarget.value)}
                />
              </label>
              <button type="submit" class="button small" aria-disabled={owner.trim() === ""}>
                Transfer
              </button>
            </form>
          </li>
          <li class="row">
            <div class="grow">
              <h3>Delete</h3>
              <p class="muted small">With all its deployments. Custom domains have to be removed first.</p>
            </div>
            <button type="button" class="button small" onClick={() => setDeleting(true)}>
              Delete…
            </button>
          </li>
        </ul>
        <Problem text={problem} />
        <div class="dialog-actions">
          <button type="button" class="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Dialog>
  );
}
