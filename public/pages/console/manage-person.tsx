import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Account, PasswordLink, Session } from "../../api/types.ts";
import { Ago, Copyable } from "../../parts/basics.tsx";
import { TextField } from "../../parts/field.tsx";
import { freezeWarning } from "./freeze-words.ts";
import { type Act, Choice, FreezeChoice, ManageDialog } from "./manage.tsx";

const deletion = () => ({
  action: "Delete user",
  text: "Their sessions end at once. People who own sites cannot be deleted.",
});
const FREEZE = {
  freeze: "Stops the account and all its sites from the next request on. Nothing is deleted.",
  unfreeze: "They can sign in and deploy again.",
};

/** All operations of an operator on a user. */
export function ManagePerson(props: { person: Account; isSelf: boolean; onClose: () => void }): JSX.Element {
  const { login } = props.person;
  const path = `/admin/users/${encodeURIComponent(login)}`;
  return (
    <ManageDialog title={login} path={path} start={props.person} deletion={deletion} onClose={props.onClose}>
      {(person, act, askToDelete) => (
        <>
          <Fields person={person} change={(body, done) => act(() => call("PATCH", path, body), done)} />
          <Choices person={person} isSelf={props.isSelf} path={path} act={act} askToDelete={askToDelete} />
        </>
      )}
    </ManageDialog>
  );
}

type Change = (body: object, done: string) => Promise<boolean>;

function Choices(props: {
  person: Account;
  isSelf: boolean;
  path: string;
  act: Act;
  askToDelete: () => void;
}): JSX.Element {
  const { person, isSelf, path, act } = props;
  const { login } = person;
  const [link, setLink] = useState<PasswordLink | null>(null);
  const change: Change = (body, done) => act(() => call("PATCH", path, body), done);
  return (
    <>
      <ul class="card rows">
        {!isSelf && (
          <FreezeChoice
            name={login}
            frozen={person.frozen}
            texts={FREEZE}
            reader="the person"
            warning={freezeWarning(person)}
            change={(frozen, done) => change({ frozen }, done)}
          />
        )}
        {!isSelf && (
          <Choice
            title={person.operator ? "Operator" : "Make an operator"}
            text="Operators have this console, with everybody's sites and accounts."
            action={person.operator ? "Remove" : "Make operator"}
            onClick={() => change({ operator: !person.operator }, `${login} was changed.`)}
          />
        )}
        {person.provider === "local" && (
          <Choice
            title="New password"
            text="Creates a link with which they set one. It works once, within 24 hours."
            action="Create link"
            onClick={() => act(async () => setLink(await call<PasswordLink>("POST", `${path}/password-link`)), null)}
          />
        )}
        <Sessions login={login} path={`${path}/sessions`} act={act} />
        {!isSelf && (
          <Choice
            title="Delete"
            text="Removes the account. Their sites have to be transferred or deleted first."
            action="Delete…"
            onClick={props.askToDelete}
          />
        )}
      </ul>
      {link && <Copyable text={link.url} label="the link" />}
    </>
  );
}

/** The maximum number of sessions in the dialog. More can be ended together. */
const MAX_SESSIONS = 5;

/** The user's sessions, newest first. */
function Sessions({ login, path, act }: { login: string; path: string; act: Act }): JSX.Element {
  const { data, error } = useResource<Session[]>(path);
  const sessions = data ?? [];
  return (
    <Choice
      title="Sessions"
      text={data?.length === 0 ? "They are not signed in anywhere." : "Signs them out everywhere."}
      action="End all"
      onClick={() => act(() => call("DELETE", path), `The sessions of ${login} were ended.`)}
    >
      <ul class="person-sessions" aria-busy={data === undefined && !error}>
        {sessions.slice(0, MAX_SESSIONS).map(({ id, client_name, address, last_used_at }) => (
          <li key={id}>
            <span class="grow">
              {client_name}
              <span class="muted">
                {address !== null && `, ${address}`}, used <Ago at={last_used_at} />
              </span>
            </span>
            <button
              type="button"
              class="button quiet small"
              onClick={() => act(() => call("DELETE", `${path}/${id}`), `The session of ${client_name} was ended.`)}
            >
              End<span class="visually-hidden"> the session of {client_name}</span>
            </button>
          </li>
        ))}
        {sessions.length > MAX_SESSIONS && <li class="muted">and {sessions.length - MAX_SESSIONS} more</li>}
      </ul>
    </Choice>
  );
}

const MEBIBYTE = 1024 ** 2;

interface Typed {
  readonly name?: string;
  readonly sites?: string;
  readonly storage?: string;
}

/** Name and limits. Only changed fields are sent; the others follow the user, whom somebody else may change. */
function Fields({ person, change }: { person: Account; change: Change }): JSX.Element {
  const [typed, setTyped] = useState<Typed>({});
  const type = (field: keyof Typed) => (text: string) => setTyped((before) => ({ ...before, [field]: text }));
  const isTyped = Object.keys(typed).length > 0;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!isTyped) return;
    const isSaved = await change(bodyOf(typed), `${person.login} was changed.`);
    // Text that was typed meanwhile stays.
    if (isSaved) setTyped((now) => (now === typed ? {} : now));
  };
  const mebibytes = person.max_bytes === null ? null : person.max_bytes / MEBIBYTE;
  return (
    <form class="form-row" onSubmit={submit}>
      {person.provider === "local" && (
        <TextField label="Name" maxLength={100} value={typed.name ?? person.name ?? ""} change={type("name")} />
      )}
      <LimitField label="Site limit" step="1" value={typed.sites ?? textOf(person.max_sites)} change={type("sites")} />
      <LimitField
        label="Storage limit (MiB)"
        step="any"
        value={typed.storage ?? textOf(mebibytes)}
        change={type("storage")}
      />
      <button type="submit" class="button" aria-disabled={!isTyped}>
        Save
      </button>
    </form>
  );
}

/** An empty field means no name, or no limit. */
function bodyOf({ name, sites, storage }: Typed): object {
  const mebibytes = numberOf(storage ?? "");
  return {
    ...(name === undefined ? {} : { name: name.trim() || null }),
    ...(sites === undefined ? {} : { max_sites: numberOf(sites) }),
    ...(storage === undefined ? {} : { max_bytes: mebibytes === null ? null : Math.round(mebibytes * MEBIBYTE) }),
  };
}

function LimitField(props: {
  label: string;
  step: string;
  value: string;
  change: (value: string) => void;
}): JSX.Element {
  return <TextField type="number" min="0" placeholder="no limit" {...props} />;
}

function textOf(value: number | null): string {
  return value === null ? "" : String(value);
}

function numberOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}
