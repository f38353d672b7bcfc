import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError, call } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { User } from "../../api/types.ts";
import { Dialog, FormActions, Problem, useOperation } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";

interface Asking {
  readonly proceed: () => void;
  readonly giveUp: (error: unknown) => void;
}

/**
 * Returns a function that runs an operation that needs a recent sign-in, and a dialog that asks for the password if the last
 * sign-in is too old. The operation then continues; it fails if the dialog is closed. The users of a provider leave the
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
  return [run, <ConfirmPassword confirmed={() => close(({ proceed }) => proceed())} onClose={giveUp} />];
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

function ConfirmPassword({ confirmed, onClose }: { confirmed: () => void; onClose: () => void }): JSX.Element {
  const [password, setPassword] = useState("");
  const { busy, problem, run } = useOperation();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (password === "" || busy) return;
    if (await run(() => call("POST", "/auth/confirm", { password }))) confirmed();
  };
  return (
    <Dialog title="Confirm your password" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p class="muted">{REASON}</p>
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
    </Dialog>
  );
}
