import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import { type Resource, refresh } from "../../../api/resource.ts";
import type { Alias, Deployment } from "../../../api/types.ts";
import { Dialog, FormActions, Problem, useOperation } from "../../../parts/dialog.tsx";
import { TextField, VERBATIM } from "../../../parts/field.tsx";
import { LifetimeField } from "../../../parts/lifetime-field.tsx";
import { announce } from "../../../parts/toasts.tsx";
import { labelOf } from "./alias-words.ts";
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
  const label = labelOf(name.trim(), site);
  const elsewhere = known.find((alias) => alias.name === label && alias.deployment_number !== number);
  // The buttons that undo a change are outside the dialog, so each change closes it.
  const close = async (change: Promise<void>) => {
    await change;
    onClose();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const wanted = { name: name.trim(), lifetime, number, elsewhere };
    if (wanted.name !== "" && !busy) void run(() => close(setAlias(site, wanted, aliases)));
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
              remove={() => run(() => close(removeAlias(site, alias, aliases)))}
            />
          ))}
        </ul>
      )}
      <form class="form" onSubmit={submit}>
        <div class="form-row">
          <TextField label="Alias" class="input" value={name} change={setName} placeholder="staging" {...VERBATIM} />
          <LifetimeField value={lifetime} choose={setLifetime} orNever />
        </div>
        <p class="small muted" role="status">
          {elsewhere
            ? `${elsewhere.name} points to #${elsewhere.deployment_number} now, and moves here.`
            : `The deployment gets the URL ${label ?? "ALIAS"}--${site} as well.`}
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

interface Wanted {
  readonly name: string;
  /** Empty for an alias that does not expire. */
  readonly lifetime: string;
  /** The number of the deployment. */
  readonly number: number;
  /** The alias as it is, if it points to another deployment. */
  readonly elsewhere: Alias | undefined;
}

async function setAlias(site: string, { name, lifetime, number, elsewhere }: Wanted, aliases: Resource<Alias[]>) {
  const alias = await call<Alias>("PUT", `/sites/${site}/aliases/${encodeURIComponent(name)}`, {
    deployment_number: number,
    ...(lifetime === "" ? {} : { expires_in: lifetime }),
  });
  aliases.set((all) => [...all.filter((other) => other.name !== alias.name), alias]);
  void refresh(`/sites/${site}/deployments`);
  announce(`${alias.name} points to deployment ${number}.`, elsewhere ? () => pointBack(site, elsewhere) : null);
}

async function removeAlias(site: string, alias: Alias, aliases: Resource<Alias[]>) {
  await call("DELETE", `/sites/${site}/aliases/${alias.name}`);
  aliases.set((all) => all.filter((other) => other.name !== alias.name));
  announce(`The alias ${alias.name} was removed.`, () => pointBack(site, alias));
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
