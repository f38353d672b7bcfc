import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { Problem, useOperation } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { announce } from "../../parts/toasts.tsx";

const EMPTY = { old: "", next: "", again: "" };

/** Changes the user's password. The input is not kept in the browser. */
export function ChangePassword({ login }: { login: string }): JSX.Element {
  const [fields, setFields] = useState(EMPTY);
  const { busy, problem, run } = useOperation();
  const isComplete = Object.values(fields).every((text) => text !== "");
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!isComplete || busy) return;
    await run(async () => {
      if (fields.next !== fields.again) throw new Error("The new passwords do not match.");
      await call("POST", "/auth/password", { old_password: fields.old, new_password: fields.next });
      setFields(EMPTY);
      announce("Your password was changed. Your other sessions were ended.");
    });
  };
  const field = (name: keyof typeof EMPTY, label: string, autocomplete: "current-password" | "new-password") => (
    <TextField
      label={label}
      type="password"
      required
      autocomplete={autocomplete}
      value={fields[name]}
      change={(text) => setFields((now) => ({ ...now, [name]: text }))}
    />
  );
  return (
    <form class="card-body" onSubmit={submit}>
      {/* Password managers read from it whose password this is. */}
      <input type="text" autocomplete="username" value={login} readOnly hidden />
      <div class="form-row">
        {field("old", "Old password", "current-password")}
        {field("next", "New password", "new-password")}
        {field("again", "Confirm new password", "new-password")}
        <button type="submit" class="button primary" aria-disabled={!isComplete || busy}>
          Change password
        </button>
      </div>
      <Problem text={problem} />
    </form>
  );
}
