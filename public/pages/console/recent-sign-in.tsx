import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError, call } from "../../api/client.ts";
import { Dialog, FormActions, Problem, useOperation } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";

interface Asking {
  readonly proceed: () => void;
  readonly giveUp: (error: unknown) => void;
}

/**
 * Returns a function that runs an operation that needs a recent sign-in, and a dialog that asks for the password if the last
 * sign-in is too old. The operation then continues; it fails if the dialog is closed.
 */
export function useRecentSignIn(): [<T>(operation: () => Promise<T>) => Promise<T>, JSX.Element | null] {
  const [asking, setAsking] = useState<Asking | null>(null);
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
  const dialog = asking && (
    <ConfirmPassword
      confirmed={() => close(({ proceed }) => proceed())}
      onClose={() => close(({ giveUp }) => giveUp(null))}
    />
  );
  return [run, dialog];
}

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
        <p class="muted">This gives away or destroys something, and your sign-in is older than 15 minutes.</p>
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
