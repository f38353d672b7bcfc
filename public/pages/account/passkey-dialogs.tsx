import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Passkey } from "../../api/types.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { createPasskey } from "../../parts/passkey.ts";
import { useRecentSignIn } from "../../parts/recent-sign-in.tsx";
import { announce } from "../../parts/toasts.tsx";

export function NewPasskey(props: { added: (passkey: Passkey) => void; onClose: () => void }): JSX.Element {
  const { added, onClose } = props;
  const [recently, confirmIdentity] = useRecentSignIn();
  const add = async (name: string) => {
    const options = await call<PublicKeyCredentialCreationOptionsJSON>("POST", "/auth/passkeys/options");
    const response = await createPasskey(options);
    added(await recently(() => call<Passkey>("POST", "/auth/passkeys", { name, response })));
    announce(`The passkey ${name} was added.`);
  };
  return (
    <>
      <NameDialog title="Add a passkey" action="Continue" start="" submit={add} onClose={onClose} />
      {confirmIdentity}
    </>
  );
}

export function RenamePasskey(props: { passkey: Passkey; onClose: () => void }): JSX.Element {
  const { passkey, onClose } = props;
  const passkeys = useResource<Passkey[]>("/auth/passkeys");
  const rename = async (name: string) => {
    const renamed = await call<Passkey>("PATCH", `/auth/passkeys/${passkey.id}`, { name });
    passkeys.set((all) => all.map((other) => (other.id === renamed.id ? renamed : other)));
  };
  return (
    <NameDialog title="Rename the passkey" action="Rename" start={passkey.name} submit={rename} onClose={onClose} />
  );
}

// --- internal ---

function NameDialog(props: {
  title: string;
  action: string;
  start: string;
  submit: (name: string) => Promise<void>;
  onClose: () => void;
}): JSX.Element {
  const { start, submit, ...dialog } = props;
  const [typed, setTyped] = useState(start);
  const name = typed.trim();
  return (
    <FormDialog {...dialog} ready={name !== ""} submit={() => submit(name)}>
      <TextField
        label="Name"
        hint="Where it is kept, such as the name of a device or a password manager."
        required
        pattern=".{1,100}"
        title="At most 100 characters"
        value={typed}
        change={setTyped}
      />
    </FormDialog>
  );
}
