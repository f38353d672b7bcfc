import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { refresh } from "../../api/resource.ts";
import type { Invitation } from "../../api/types.ts";
import { formatMoment } from "../../format.ts";
import { Copyable } from "../../parts/basics.tsx";
import { Dialog, Problem, useProblem } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";

/** Asks for a login and shows the link, which is returned once, in the same dialog. */
export function Invite({ onClose }: { onClose: () => void }): JSX.Element {
  const [login, setLogin] = useState("");
  const [name, setName] = useState("");
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const [problem, setProblem] = useProblem();
  const ready = login.trim() !== "";
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!ready || invitation) return;
    setProblem(null);
    try {
      const person = { login: login.trim(), ...(name.trim() === "" ? {} : { name: name.trim() }) };
      setInvitation(await call<Invitation>("POST", "/admin/users", person));
      void refresh("/admin/");
    } catch (error) {
      setProblem(error);
    }
  };
  const another = () => {
    setInvitation(null);
    setLogin("");
    setName("");
  };
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <div class="two-fields">
          <label class="field">
            Login
            <input
              value={login}
              autocomplete="off"
              autocapitalize="none"
              required
              maxLength={64}
              readOnly={invitation !== null}
              onInput={(event) => setLogin(event.currentTarget.value)}
            />
          </label>
          <label class="field">
            Name
            <input
              value={name}
              autocomplete="off"
              placeholder="Optional"
              maxLength={100}
              readOnly={invitation !== null}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
        </div>
        {invitation ? (
          <Invited invitation={invitation} />
        ) : (
          <p class="muted small">They get a link with which they choose a password. It is good once, for 7 days.</p>
        )}
        <Problem text={problem} />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={invitation ? another : onClose}>
            {invitation ? "Invite another" : "Cancel"}
          </button>
          {invitation ? (
            <button type="button" class="button primary" onClick={onClose}>
              Done
            </button>
          ) : (
            <button type="submit" class="button primary" aria-disabled={!ready}>
              Create link
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function Invited({ invitation: { login, url, expires_at } }: { invitation: Invitation }): JSX.Element {
  return (
    <div class="invited" role="status">
      <p class="line strong">
        <span class="good">
          <Icon name="check" />
        </span>
        {login} is invited
      </p>
      <p class="muted small">
        Send this link yourself. It makes the account, once, until {formatMoment(expires_at)}, and is shown only now.
      </p>
      <Copyable text={url} label="the invitation" block />
    </div>
  );
}
