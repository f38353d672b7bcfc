import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import { refresh } from "../../../api/resource.ts";
import type { Alias, Deployment } from "../../../api/types.ts";
import { Dialog, FormActions, Problem, useOperation } from "../../../parts/dialog.tsx";
import { LifetimeField } from "../../../parts/lifetime-field.tsx";
import { announce } from "../../../parts/toasts.tsx";
import { AliasLink, Expires } from "./facts.tsx";
import { useAliases } from "./resources.ts";

interface Props {
  readonly deployment: Deployment;
  readonly onClose: () => void;
}

/** Sets, moves and removes the aliases that point to a deployment. */
export function AliasDialog({ deployment, onClose }: Props): JSX.Element {
  const { site_name: site, deployment_number: number } = deployment;
  const aliases = useAliases(site);
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState("30d");
  const { busy, problem, run } = useOperation();
  const known = aliases.data ?? [];
  const own = known.filter((alias) => alias.deployment_number === number);
  const elsewhere = known.find((alias) => alias.name === name.trim() && alias.deployment_number !== number);
  const set = async () => {
    const path = `/sites/${site}/aliases/${encodeURIComponent(name.trim())}`;
    const alias = await call<Alias>("PUT", path, {
      deployment_number: number,
      ...(lifetime === "" ? {} : { expires_in: lifetime }),
    });
    aliases.set((all) => [...all.filter((other) => other.name !== alias.name), alias]);
    refresh(`/sites/${site}/deployments`);
    announce(`${alias.name} points to deployment ${number}.`, elsewhere ? () => pointBack(site, elsewhere) : null);
    onClose();
  };
  const remove = async (alias: Alias) => {
    await call("DELETE", `/sites/${site}/aliases/${alias.name}`);
    aliases.set((all) => all.filter((other) => other.name !== alias.name));
    announce(`The alias ${alias.name} was removed.`, () => pointBack(site, alias));
    // The undo button is outside the dialog.
    onClose();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (name.trim() !== "" && !busy) void run(set);
  };
  return (
    <Dialog title={`Aliases of #${number}`} closable={!busy} onClose={onClose}>
      {own.length > 0 && (
        <ul class="list bordered">
          {own.map((alias) => (
            <OwnAlias
              key={alias.name}
              alias={alias}
              site={site}
              busy={busy}
              change={() => setName(alias.name)}
              remove={() => run(() => remove(alias))}
            />
          ))}
        </ul>
      )}
      <form class="form" onSubmit={submit}>
        <div class="form-row">
          <label class="field">
            Alias
            <input
              class="input"
              value={name}
              placeholder="staging"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
          <LifetimeField value={lifetime} choose={setLifetime} never="Never" />
        </div>
        <p class="small muted" role="status">
          {elsewhere
            ? `${elsewhere.name} points to #${elsewhere.deployment_number} now, and moves here.`
            : `The deployment gets the address ${name.trim() === "" ? "ALIAS" : name.trim()}--${site} as well.`}
        </p>
        <Problem text={problem} />
        <FormActions
          action={elsewhere ? "Move alias" : "Set alias"}
          ready={name.trim() !== ""}
          busy={busy}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

/** An alias that points to the deployment already. */
function OwnAlias(props: {
  alias: Alias;
  site: string;
  busy: boolean;
  change: () => void;
  remove: () => void;
}): JSX.Element {
  const { alias, busy } = props;
  return (
    <li>
      <div class="grow">
        <AliasLink alias={alias} site={props.site} />
        {alias.expires_at === null ? <span class="tiny faint">Stays</span> : <Expires at={alias.expires_at} />}
      </div>
      <button type="button" class="button small" onClick={props.change}>
        Change expiry<span class="visually-hidden"> of {alias.name}</span>
      </button>
      <button type="button" class="button small" aria-disabled={busy} onClick={props.remove}>
        Remove<span class="visually-hidden"> {alias.name}</span>
      </button>
    </li>
  );
}

/** An alias that does not expire has no `expires_in`; others get the remaining time. */
async function pointBack(site: string, { name, deployment_number, expires_at }: Alias): Promise<void> {
  const left = expires_at === null ? null : Math.ceil((Date.parse(expires_at) - Date.now()) / 1000);
  const lifetime = left === null ? {} : { expires_in: `${Math.max(left, 1)}s` };
  await call("PUT", `/sites/${site}/aliases/${name}`, { deployment_number, ...lifetime });
  await refresh(`/sites/${site}/aliases`);
  announce(`${name} points to deployment ${deployment_number} again.`);
}
