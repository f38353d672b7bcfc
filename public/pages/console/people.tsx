import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { refresh, useResource } from "../../api/resource.ts";
import type { Account, AccountList, Invitation, User } from "../../api/types.ts";
import { formatBytes, formatMoment, formatNumber } from "../../format.ts";
import { Ago, Copyable } from "../../parts/basics.tsx";
import { Dialog, Problem, useProblem } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { ListedTable, useListed } from "./list.tsx";
import { ManagePerson } from "./manage-person.tsx";

export function PeopleTab(): JSX.Element {
  const listed = useListed<AccountList>("/admin/users");
  const [managed, setManaged] = useState<string | null>(null);
  const [inviting, setInviting] = useState(false);
  const me = useResource<User>("/auth/me");
  const person = listed.resource.data?.users.find(({ login }) => login === managed);
  const canInvite = me.data?.provider === "local";
  return (
    <>
      <ListedTable
        listed={listed}
        what="the people"
        search="Find a person"
        actions={
          canInvite && (
            <button type="button" class="button primary" onClick={() => setInviting(true)}>
              <Icon name="plus" /> Invite
            </button>
          )
        }
        head={
          <tr>
            <th scope="col">Person</th>
            <th scope="col" class="number">
              Sites
            </th>
            <th scope="col" class="number">
              Storage
            </th>
            <th scope="col">Last seen</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        }
        rows={({ users }) =>
          users.map((user) => <PersonRow key={user.login} user={user} manage={() => setManaged(user.login)} />)
        }
      />
      {person && (
        <ManagePerson person={person} isSelf={person.login === me.data?.login} onClose={() => setManaged(null)} />
      )}
      {inviting && <Invite onClose={() => setInviting(false)} />}
    </>
  );
}

function PersonRow({ user, manage }: { user: Account; manage: () => void }): JSX.Element {
  return (
    <tr>
      <th scope="row">
        <span class="list-name">
          {user.login}
          {user.operator && <span class="badge">Operator</span>}
          {user.frozen && <span class="badge bad">Frozen</span>}
        </span>
        {user.name !== null && <span class="list-sub">{user.name}</span>}
      </th>
      <td class="number" data-label="sites">
        {used(user.sites, user.max_sites, formatNumber)}
      </td>
      <td class="number">{used(user.bytes, user.max_bytes, formatBytes)}</td>
      <td>{user.last_seen_at === null ? <span class="muted">never</span> : <Ago at={user.last_seen_at} />}</td>
      <td class="list-actions">
        <button type="button" class="button small" onClick={manage}>
          Manage<span class="visually-hidden"> {user.login}</span>
        </button>
      </td>
    </tr>
  );
}

function used(value: number, limit: number | null, format: (value: number) => string): string {
  return limit === null ? format(value) : `${format(value)} of ${format(limit)}`;
}

/** Asks for a login and shows the link, which is returned once. */
function Invite({ onClose }: { onClose: () => void }): JSX.Element {
  const [login, setLogin] = useState("");
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const [problem, setProblem] = useProblem();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (login.trim() === "") return;
    setProblem(null);
    try {
      setInvitation(await call<Invitation>("POST", "/admin/users", { login: login.trim() }));
      void refresh("/admin/audit");
    } catch (error) {
      setProblem(error);
    }
  };
  if (invitation) {
    return (
      <Dialog title={`Invitation for ${invitation.login}`} onClose={onClose}>
        <div class="form">
          <p>
            Send this link to {invitation.login}. It creates the account once, until{" "}
            {formatMoment(invitation.expires_at)}, and is not shown again.
          </p>
          <Copyable text={invitation.url} label="the invitation" />
          <div class="dialog-actions">
            <button type="button" class="button primary" onClick={onClose}>
              Done
            </button>
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p class="muted">They get a link with which they choose a password. It is good once, for 7 days.</p>
        <label class="field">
          Login
          <input
            value={login}
            autocomplete="off"
            autocapitalize="none"
            required
            maxLength={64}
            onInput={(event) => setLogin(event.currentTarget.value)}
          />
        </label>
        <Problem text={problem} />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" aria-disabled={login.trim() === ""}>
            Create link
          </button>
        </div>
      </form>
    </Dialog>
  );
}
