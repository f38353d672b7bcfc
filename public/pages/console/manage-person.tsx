import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { Account, PasswordLink } from "../../api/types.ts";
import { Copyable } from "../../parts/basics.tsx";
import { type Act, Choice, FreezeChoice, ManageDialog } from "./manage.tsx";

const DELETION = { action: "Delete user", text: "Their sessions end at once. People who own sites cannot be deleted." };
const FREEZE = {
  freeze: "Stops the account and all its sites from the next request on. Nothing is deleted.",
  unfreeze: "They can sign in and deploy again.",
};

/** All operations of an operator on a user. */
export function ManagePerson(props: { person: Account; isSelf: boolean; onClose: () => void }): JSX.Element {
  const { login } = props.person;
  const path = `/admin/users/${encodeURIComponent(login)}`;
  return (
    <ManageDialog title={login} path={path} deletion={DELETION} onClose={props.onClose}>
      {(act, askToDelete) => (
        <>
          <Limits person={props.person} change={(body, done) => act(() => call("PATCH", path, body), done)} />
          <Choices {...props} path={path} act={act} askToDelete={askToDelete} />
        </>
      )}
    </ManageDialog>
  );
}

type Change = (body: object, done: string) => Promise<void>;

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
            change={(frozen, done) => void change({ frozen }, done)}
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
            text="Creates a link with which they set one. It is good once, for 24 hours."
            action="Create link"
            onClick={() => act(async () => setLink(await call<PasswordLink>("POST", `${path}/password-link`)), null)}
          />
        )}
        <Choice
          title="Sessions"
          text="Signs them out everywhere."
          action="End all"
          onClick={() => act(() => call("DELETE", `${path}/sessions`), `The sessions of ${login} were ended.`)}
        />
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

const MEBIBYTE = 1024 ** 2;

/** An empty field means no limit. */
function Limits({ person, change }: { person: Account; change: Change }): JSX.Element {
  const [sites, setSites] = useState(textOf(person.max_sites));
  const [storage, setStorage] = useState(textOf(person.max_bytes === null ? null : person.max_bytes / MEBIBYTE));
  const submit = (event: Event) => {
    event.preventDefault();
    const mebibytes = numberOf(storage);
    const max_bytes = mebibytes === null ? null : Math.round(mebibytes * MEBIBYTE);
    void change({ max_sites: numberOf(sites), max_bytes }, `The limits of ${person.login} were changed.`);
  };
  return (
    <form class="form-row" onSubmit={submit}>
      <LimitField name="Sites, at most" step="1" value={sites} change={setSites} />
      <LimitField name="Storage in MiB, at most" step="any" value={storage} change={setStorage} />
      <button type="submit" class="button">
        Save limits
      </button>
    </form>
  );
}

function LimitField(props: {
  name: string;
  step: string;
  value: string;
  change: (value: string) => void;
}): JSX.Element {
  return (
    <label class="field">
      {props.name}
      <input
        type="number"
        min="0"
        step={props.step}
        placeholder="no limit"
        value={props.value}
        onInput={(event) => props.change(event.currentTarget.value)}
      />
    </label>
  );
}

function textOf(value: number | null): string {
  return value === null ? "" : String(value);
}

function numberOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}
