import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { MEMBER_ROLES, type MemberRole } from "../../../src/domain/model/role.ts";
import { call } from "../../api/client.ts";
import { refresh } from "../../api/resource.ts";
import type { Invitation } from "../../api/types.ts";
import { formatMoment } from "../../format.ts";
import { Copyable } from "../../parts/basics.tsx";
import { Dialog, FormActions, Problem, useOperation } from "../../parts/dialog.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icons.tsx";
import { ROLE_NAMES } from "../../parts/role-names.ts";

interface Start {
  readonly login: string;
  /** The site of which the person becomes a member; empty for none. */
  readonly site: string;
}

const NOBODY: Start = { login: "", site: "" };

interface Props {
  /** What the fields hold at first. */
  readonly start?: Start;
  readonly onClose: () => void;
}

/** Asks for a login, and for a site if one is wanted, and shows the link, which is returned once, in the same dialog. */
export function Invite({ start = NOBODY, onClose }: Props): JSX.Element {
  const [draft, setDraft] = useState({ ...start, name: "", role: "deployer" as MemberRole });
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const { busy, problem, run } = useOperation();
  const change = (part: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...part }));
  const isDone = invitation !== null;
  const ready = draft.login.trim() !== "";
  const invite = async () => {
    setInvitation(await call<Invitation>("POST", "/admin/users", requestOf(draft)));
    void refresh("/admin/");
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (isDone) onClose();
    else if (ready && !busy) void run(invite);
  };
  const another = () => {
    setInvitation(null);
    change({ login: "", name: "" });
  };
  return (
    <Dialog title="Invite a person" closable={!busy} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <div class="two-fields">
          <Field
            label="Login"
            value={draft.login}
            change={(login) => change({ login })}
            isDone={isDone}
            required
            maxLength={64}
          />
          <Field label="Name" value={draft.name} change={(name) => change({ name })} isDone={isDone} maxLength={100} />
          <Field label="Site" value={draft.site} change={(site) => change({ site })} isDone={isDone} maxLength={50} />
          {draft.site !== "" && !isDone && (
            <SelectField label="Role" options={ROLES} value={draft.role} choose={(role) => change({ role })} />
          )}
        </div>
        {invitation ? (
          <Invited invitation={invitation} />
        ) : (
          <p class="muted small">
            They get a link with which they choose a password. It works once, within 7 days. With a site, they become a
            member of it.
          </p>
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

const ROLES = MEMBER_ROLES.toReversed().map((role) => [role, ROLE_NAMES[role]] as const);

function requestOf({ login, name, site, role }: Start & { readonly name: string; readonly role: MemberRole }) {
  return {
    login: login.trim(),
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    ...(site.trim() === "" ? {} : { site: { name: site.trim(), role } }),
  };
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

function Invited({ invitation: { login, site, url, expires_at } }: { invitation: Invitation }): JSX.Element {
  return (
    <div class="invited" role="status">
      <p class="line strong">
        <span class="good">
          <Icon name="check" />
        </span>
        {login} is invited{site && ` to ${site.name} as ${site.role}`}
      </p>
      <p class="muted small">
        Send this link yourself. It makes the account, once, until {formatMoment(expires_at)}, and is shown only now.
      </p>
      <Copyable text={url} label="the invitation" block />
    </div>
  );
}
