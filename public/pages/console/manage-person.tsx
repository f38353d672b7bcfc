import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { refresh } from "../../api/resource.ts";
import type { Account, PasswordLink } from "../../api/types.ts";
import { formatMoment } from "../../format.ts";
import { Copyable } from "../../parts/basics.tsx";
import { Confirm, Dialog, Problem, useProblem } from "../../parts/dialog.tsx";
import { announce } from "../../parts/toasts.tsx";
import { useRecentSignIn } from "./recent-sign-in.tsx";

/** All operations of an operator on a user. */
export function ManagePerson(props: { person: Account; isSelf: boolean; onClose: () => void }): JSX.Element {
  const { person, isSelf, onClose } = props;
  const { login } = person;
  const path = `/admin/users/${encodeURIComponent(login)}`;
  const [problem, setProblem] = useProblem();
  const [link, setLink] = useState<PasswordLink | null>(null);
  const [deleting, setDeleting] = useState(false);
  const [recently, confirmPassword] = useRecentSignIn();
  const act = async (operation: () => Promise<unknown>, done: string | null) => {
    setProblem(null);
    try {
      await recently(operation);
      await refresh("/admin/");
      if (done !== null) announce(done);
    } catch (error) {
      setProblem(error);
    }
  };
  const change = (body: object, done: string) => act(() => call("PATCH", path, body), done);
  if (confirmPassword) return confirmPassword;
  if (deleting) {
    return (
      <Confirm
        title={`Delete ${login}?`}
        action="Delete user"
        phrase={login}
        onConfirm={async () => {
          await recently(() => call("DELETE", path));
          await refresh("/admin/");
          announce(`${login} was deleted.`);
          onClose();
        }}
        onClose={() => setDeleting(false)}
      >
        <p class="muted">Their sessions end at once. People who own sites cannot be deleted.</p>
      </Confirm>
    );
  }
  return (
    <Dialog title={login} onClose={onClose}>
      <div class="form">
        {person.frozen && (
          <p class="notice error">
            Frozen since {formatMoment(person.frozen.since)}
            {person.frozen.reason === null ? "." : `: ${person.frozen.reason}`}
          </p>
        )}
        <Limits person={person} change={change} />
        <ul class="card rows">
          {!isSelf && <FreezeChoice person={person} change={change} />}
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
              onClick={() => setDeleting(true)}
            />
          )}
        </ul>
        {link && <Copyable text={link.url} label="the link" />}
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

type Change = (body: object, done: string) => Promise<void>;

function FreezeChoice({ person, change }: { person: Account; change: Change }): JSX.Element {
  const [reason, setReason] = useState("");
  if (person.frozen) {
    return (
      <Choice
        title="Unfreeze"
        text="They can sign in and deploy again."
        action="Unfreeze"
        onClick={() => change({ frozen: null }, `${person.login} is unfrozen.`)}
      />
    );
  }
  return (
    <Choice
      title="Freeze"
      text="Stops the account and all its sites from the next request on. Nothing is deleted."
      action="Freeze"
      onClick={() => change({ frozen: { reason: reason.trim() || null } }, `${person.login} is frozen.`)}
    >
      <input
        aria-label="Reason, shown to the person"
        placeholder="Reason, shown to the person"
        value={reason}
        maxLength={500}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
    </Choice>
  );
}

function Choice(props: {
  title: string;
  text: string;
  action: string;
  onClick: () => void;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <li class="row">
      <div class="grow">
        <h3>{props.title}</h3>
        <p class="muted small">{props.text}</p>
        {props.children}
      </div>
      <button type="button" class="button small" onClick={props.onClick}>
        {props.action}
      </button>
    </li>
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
      <label class="field">
        Sites, at most
        <input
          type="number"
          min="0"
          step="1"
          placeholder="no limit"
          value={sites}
          onInput={(event) => setSites(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        Storage in MiB, at most
        <input
          type="number"
          min="0"
          step="any"
          placeholder="no limit"
          value={storage}
          onInput={(event) => setStorage(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button">
        Save limits
      </button>
    </form>
  );
}

function textOf(value: number | null): string {
  return value === null ? "" : String(value);
}

function numberOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}
