import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Passkey, SignInMethods } from "../../api/types.ts";
import { sentence } from "../../format.ts";
import { Ago, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Card } from "../../parts/card.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Menu, MenuItem, MenuLine } from "../../parts/menu.tsx";
import { hasPasskeys } from "../../parts/passkey.ts";
import { useRecentSignIn } from "../../parts/recent-sign-in.tsx";
import { announce } from "../../parts/toasts.tsx";
import { ChangePassword } from "./change-password.tsx";
import { NewPasskey, RenamePasskey } from "./passkey-dialogs.tsx";

/** The password and the passkeys of an account of this server. */
export function WaysIn({ login, methods }: { login: string; methods: SignInMethods }): JSX.Element {
  return (
    <>
      <PasswordCard login={login} methods={methods} />
      <PasskeysCard methods={methods} />
    </>
  );
}

// --- internal ---

function PasswordCard({ login, methods }: { login: string; methods: SignInMethods }): JSX.Element {
  const passkeys = useResource<Passkey[]>("/auth/passkeys");
  const [asking, setAsking] = useState(false);
  if (!methods.password) {
    return (
      <Card title="Password">
        <p class="card-body muted">You sign in with passkeys only. An operator can send you a link for a password.</p>
      </Card>
    );
  }
  const mayRemove = methods.passkeys_problem === null && (passkeys.data?.length ?? 0) > 0;
  return (
    <Card
      title="Password"
      actions={
        mayRemove && (
          <button type="button" class="button small" onClick={() => setAsking(true)}>
            Remove<span class="visually-hidden"> the password</span>
          </button>
        )
      }
      foot="A new one ends all your other sessions. It has at least 8 characters."
    >
      <ChangePassword login={login} />
      {asking && <RemovePassword onClose={() => setAsking(false)} />}
    </Card>
  );
}

function RemovePassword({ onClose }: { onClose: () => void }): JSX.Element {
  const methods = useResource<SignInMethods>("/auth/sign-in-methods");
  const [recently, confirmIdentity] = useRecentSignIn();
  const remove = async () => {
    await recently(() => call("DELETE", "/auth/password"));
    methods.set((all) => ({ ...all, password: false }));
    announce("Your password was removed. Your other sessions were ended.");
  };
  return (
    <>
      <Confirm title="Remove your password?" action="Remove password" onConfirm={remove} onClose={onClose}>
        <p class="muted">
          You sign in with your passkeys only. If you lose them all, an operator has to send you a link. All your other
          sessions end.
        </p>
      </Confirm>
      {confirmIdentity}
    </>
  );
}

function PasskeysCard({ methods }: { methods: SignInMethods }): JSX.Element {
  const passkeys = useResource<Passkey[]>("/auth/passkeys");
  const [adding, setAdding] = useState(false);
  const problem = passkeysProblem(methods);
  const added = (passkey: Passkey) => passkeys.set((all) => [...all, passkey]);
  return (
    <Card
      title="Passkeys"
      actions={
        problem === null && (
          <button type="button" class="button small" onClick={() => setAdding(true)}>
            Add a passkey
          </button>
        )
      }
      foot="A passkey signs you in with your fingerprint, face or PIN instead of a password."
    >
      {problem !== null && <p class="card-body muted">{problem}</p>}
      <Loaded resource={passkeys} what="your passkeys" skeleton={<SkeletonRows rows={1} />}>
        {(all) => <PasskeyList passkeys={all} isPossible={problem === null} />}
      </Loaded>
      {adding && <NewPasskey added={added} onClose={() => setAdding(false)} />}
    </Card>
  );
}

/** Returns why no passkey can be added here, or null. */
function passkeysProblem({ passkeys_problem: problem }: SignInMethods): string | null {
  if (problem !== null) return sentence(problem);
  return hasPasskeys() ? null : "This browser is too old for passkeys.";
}

function PasskeyList(props: { passkeys: readonly Passkey[]; isPossible: boolean }): JSX.Element | null {
  const { passkeys, isPossible } = props;
  if (passkeys.length === 0) return isPossible ? <p class="card-body muted">You have no passkeys yet.</p> : null;
  return (
    <ul class="list">
      {passkeys.map((passkey) => (
        <PasskeyRow key={passkey.id} passkey={passkey} />
      ))}
    </ul>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }): JSX.Element {
  const { name, created_at, last_used_at } = passkey;
  const [open, setOpen] = useState<"name" | "removal" | null>(null);
  const close = () => setOpen(null);
  return (
    <li>
      <Icon name="key" />
      <div class="grow">
        <h3 class="strong cut">{name}</h3>
        <p class="tiny muted cut">
          Added <Ago at={created_at} />, {last_used_at === null ? "never used" : <Used at={last_used_at} />}
        </p>
      </div>
      <Menu label={`Actions for ${name}`} class="button quiet small only" button={<Icon name="dots" />}>
        <MenuItem icon="tag" onClick={() => setOpen("name")}>
          Rename…
        </MenuItem>
        <MenuLine />
        <MenuItem icon="trash" risky onClick={() => setOpen("removal")}>
          Remove…
        </MenuItem>
      </Menu>
      {open === "name" && <RenamePasskey passkey={passkey} onClose={close} />}
      {open === "removal" && <RemovePasskey passkey={passkey} onClose={close} />}
    </li>
  );
}

function Used({ at }: { at: string }): JSX.Element {
  return (
    <>
      used <Ago at={at} />
    </>
  );
}

function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }): JSX.Element {
  const { id, name } = passkey;
  const passkeys = useResource<Passkey[]>("/auth/passkeys");
  const [recently, confirmIdentity] = useRecentSignIn();
  const remove = async () => {
    await recently(() => call("DELETE", `/auth/passkeys/${id}`));
    passkeys.set((all) => all.filter((other) => other.id !== id));
    announce(`The passkey ${name} was removed.`);
  };
  return (
    <>
      <Confirm title={`Remove the passkey ${name}?`} action="Remove passkey" onConfirm={remove} onClose={onClose}>
        <p class="muted">Nobody can sign in with it any more. Remove it from your device too.</p>
      </Confirm>
      {confirmIdentity}
    </>
  );
}
