import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { refresh } from "../../api/resource.ts";
import type { Invitation } from "../../api/types.ts";
import { formatMoment } from "../../format.ts";
import { Copyable } from "../../parts/basics.tsx";
import { Dialog, FormActions, Problem, useOperation } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icons.tsx";

/** Asks for a login and shows the link, which is returned once, in the same dialog. */
export function Invite({ onClose }: { onClose: () => void }): JSX.Element {
  const [login, setLogin] = useState("");
  const [name, setName] = useState("");
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const { busy, problem, run } = useOperation();
  const ready = login.trim() !== "";
  const invite = async () => {
    const person = { login: login.trim(), ...(name.trim() === "" ? {} : { name: name.trim() }) };
    setInvitation(await call<Invitation>("POST", "/admin/users", person));
    void refresh("/admin/");
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (invitation) onClose();
    else if (ready && !busy) void run(invite);
  };
  const another = () => {
    setInvitation(null);
    setLogin("");
    setName("");
  };
  return (
    <Dialog title="Invite a person" closable={!busy} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <div class="two-fields">
          <Field label="Login" value={login} change={setLogin} isDone={invitation !== null} required maxLength={64} />
          <Field label="Name" value={name} change={setName} isDone={invitation !== null} maxLength={100} />
        </div>
        {invitation ? (
          <Invited invitation={invitation} />
        ) : (
          <p class="muted small">They get a link with which they choose a password. It works once, within 7 days.</p>
        )}
        <Problem text={problem} />
        {invitation ? (
          <FormActions action="Done" cancel="Invite another" onCancel={another} />
        ) : (
          <FormActions action="Create link" ready={ready} busy={busy} onCancel={onClose} />
        )}
      </form>
    </Dialog>
  );
}

function Field(props: {
  label: string;
  value: string;
  change: (value: string) => void;
  /** True once the invitation exists. */
  isDone: boolean;
  required?: boolean;
  maxLength: number;
}): JSX.Element {
  const { isDone, required = false, ...field } = props;
  return (
    <TextField
      {...field}
      readOnly={isDone}
      required={required}
      {...(required ? { autocapitalize: "none" } : { placeholder: "Optional" })}
    />
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
