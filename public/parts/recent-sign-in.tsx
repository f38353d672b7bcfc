import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError, call } from "../api/client.ts";
import { useResource } from "../api/resource.ts";
import type { Passkey, SignInMethods, User } from "../api/types.ts";
import { CloseAction, Dialog, FormActions, Problem, useOperation } from "./dialog.tsx";
import { TextField } from "./field.tsx";
import { askForPasskey, hasPasskeys } from "./passkey.ts";

interface Asking {
  readonly proceed: () => void;
  readonly giveUp: (error: unknown) => void;
}

/**
 * Returns a function that runs an operation that needs a recent sign-in, and a dialog that asks for the password or a
 * passkey if the last sign-in is too old. The operation then continues; it fails if the dialog is closed. The users of a provider leave the
 * page to sign in, and return to it.
 */
export function useRecentSignIn(): [<T>(operation: () => Promise<T>) => Promise<T>, JSX.Element | null] {
  const [asking, setAsking] = useState<Asking | null>(null);
  const { data: me } = useResource<User>("/auth/me");
  const run = async <T,>(operation: () => Promise<T>): Promise<T> => {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof ApiError) || !/recent sign-in/i.test(error.detail)) throw error;
      await new Promise<void>((proceed, reject) => setAsking({ proceed, giveUp: () => reject(error) }));
      return operation();
    }
  };
  const close = (end: (requested: Asking) => void) => {
    setAsking(null);
    if (asking) end(asking);
  };
  const giveUp = () => close(({ giveUp }) => giveUp(null));
  if (asking === null) return [run, null];
  if (me !== undefined && me.provider !== "local") return [run, <SignInAgain onClose={giveUp} />];
  return [run, <ConfirmIdentity confirmed={() => close(({ proceed }) => proceed())} onClose={giveUp} />];
}

/** For users whose password is not kept here. */
function SignInAgain({ onClose }: { onClose: () => void }): JSX.Element {
  const here = encodeURIComponent(location.pathname + location.search);
  return (
    <Dialog title="Sign in again" onClose={onClose}>
      <p class="muted">{REASON} Sign in again, and then repeat it here.</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <a class="button primary" href={`/sign-in/provider?return_to=${here}`}>
          Sign in again
        </a>
      </div>
    </Dialog>
  );
}

const REASON = "This gives away or destroys something, and your sign-in is older than 15 minutes.";

/** Asks for the password, a passkey, or either, whatever the user has. */
function ConfirmIdentity(props: { confirmed: () => void; onClose: () => void }): JSX.Element {
  const { confirmed, onClose } = props;
  const methods = useResource<SignInMethods>("/auth/sign-in-methods").data;
  const passkeys = useResource<Passkey[]>("/auth/passkeys");
  const { busy, problem, run } = useOperation();
  const confirm = async (operation: () => Promise<unknown>) => {
    if (!busy && (await run(operation))) confirmed();
  };
  const hasPassword = methods?.password !== false;
  const mayUsePasskey = hasPasskeys() && methods?.passkeys_problem === null && (passkeys.data?.length ?? 0) > 0;
  return (
    <Dialog title={hasPassword ? "Confirm your password" : "Confirm that it is you"} onClose={onClose}>
      <div class="form">
        <p class="muted">{REASON}</p>
        {mayUsePasskey && (
          <button type="button" class="button" aria-disabled={busy} onClick={() => confirm(confirmWithPasskey)}>
            Use a passkey{hasPassword && " instead"}
          </button>
        )}
        {hasPassword ? (
          <PasswordForm confirm={confirm} busy={busy} problem={problem} onClose={onClose} />
        ) : (
          <>
            <Problem text={problem} />
            <CloseAction name="Cancel" onClose={onClose} />
          </>
        )}
      </div>
    </Dialog>
  );
}

async function confirmWithPasskey(): Promise<void> {
  const options = await call<PublicKeyCredentialRequestOptionsJSON>("POST", "/sign-in/passkey/options");
  await call("POST", "/auth/confirm", { response: await askForPasskey(options) });
}

function PasswordForm(props: {
  confirm: (operation: () => Promise<unknown>) => Promise<void>;
  busy: boolean;
  problem: string | null;
  onClose: () => void;
}): JSX.Element {
  const { confirm, busy, problem, onClose } = props;
  const [password, setPassword] = useState("");
  const submit = async (event: Event) => {
    event.preventDefault();
    if (password !== "") await confirm(() => call("POST", "/auth/confirm", { password }));
  };
  return (
    <form class="form" onSubmit={submit}>
      <TextField
        label="Password"
        type="password"
        autocomplete="current-password"
        required
        value={password}
        change={setPassword}
      />
      <Problem text={problem} />
      <FormActions action="Confirm" ready={password !== ""} busy={busy} onCancel={onClose} />
    </form>
  );
}
