import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { describeEnded, ENDED_BY_TRANSFER, type EndedByTransfer } from "../../../src/domain/model/transfer.ts";
import { call } from "../../api/client.ts";
import type { TransferredSite } from "../../api/types.ts";
import { Checks, TextField } from "../../parts/field.tsx";
import { announce } from "../../parts/toasts.tsx";
import type { Act } from "./manage.tsx";

const ENDS: readonly (readonly [EndedByTransfer, string])[] = [
  ["tokens", "Deployment tokens"],
  ["shares", "Shares"],
  ["webhooks", "Webhooks"],
  ["publishers", "Publishers"],
];

/** The transfer of a site. What the former owner set up ends, unless the operator unchecks it. */
export function Transfer({ site, path, act }: { site: string; path: string; act: Act }): JSX.Element {
  const [owner, setOwner] = useState("");
  const [ends, setEnds] = useState<readonly EndedByTransfer[]>(ENDED_BY_TRANSFER);
  const login = owner.trim();
  const transfer = async () => {
    const keep = ENDED_BY_TRANSFER.filter((what) => !ends.includes(what));
    const { ended } = await call<TransferredSite>("POST", `${path}/transfer`, { login, keep });
    const words = describeEnded(ended);
    announce(`${site} belongs to ${login} now.${words === "" ? "" : ` Ended: ${words}.`}`);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (login !== "") void act(transfer, null);
  };
  return (
    <li class="row">
      <form class="form grow" onSubmit={submit}>
        <div class="form-row">
          <TextField label="Transfer to" value={owner} change={setOwner} autocapitalize="none" placeholder="login" />
          <button type="submit" class="button small" aria-disabled={login === ""}>
            Transfer
          </button>
        </div>
        <Checks legend="Ends with the transfer" options={ENDS} chosen={ends} choose={setEnds} />
      </form>
    </li>
  );
}
