import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import type { CreatedShare, Share, Site } from "../../../api/types.ts";
import { Problem, useOperation } from "../../../parts/dialog.tsx";
import { SelectField, TextField } from "../../../parts/field.tsx";
import { useKept } from "../../../parts/kept.ts";
import { LifetimeField } from "../../../parts/lifetime-field.tsx";
import { keyOf } from "../../../parts/of-site.ts";
import type { ShareWithSecret } from "./new-share.tsx";
import { opensWords, type ShareTarget, targetOf } from "./share-targets.ts";

const KINDS: readonly (readonly [kind: Share["kind"], title: string, words: string])[] = [
  ["link", "Link", "Whoever has it gets in."],
  ["password", "Password", "One page asks for it."],
  ["automation", "Automation", "A header for tests and scripts."],
];

interface Props {
  readonly site: Site;
  readonly targets: readonly ShareTarget[];
  readonly created: (share: ShareWithSecret) => void;
}

export function ShareForm({ site, targets, created }: Props): JSX.Element {
  const [kind, setKind] = useState<Share["kind"]>("link");
  const [label, setLabel] = useKept(keyOf(site.name, "share"), "");
  const [password, setPassword] = useState("");
  const [chosen, setTarget] = useState(() => new URLSearchParams(location.search).get("target") ?? "");
  const [lifetime, setLifetime] = useState("30d");
  const { busy, problem, run } = useOperation();
  // The target in the URL, unless everybody can open it.
  const target = targets.find(({ value }) => value === chosen) ?? targets[0];
  const isReady = kind !== "password" || password !== "";
  const create = async (target: ShareTarget) => {
    const name = label.trim() || target.words;
    const share = await call<CreatedShare>("POST", `/sites/${site.name}/shares`, {
      label: name,
      kind,
      target: targetOf(target.value),
      expires_in: lifetime,
      ...(kind === "password" ? { password } : {}),
    });
    created({ ...share, kind, label: name, opens: opensWords(target) });
    setLabel("");
    setPassword("");
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (!busy && isReady && target) void run(() => create(target));
  };
  return (
    <form class="card" onSubmit={submit} aria-label="New share">
      <div class="card-head">
        <h2 class="grow">New share</h2>
      </div>
      <div class="card-body">
        <Kinds kind={kind} choose={setKind} />
        <div class="form-row">
          <TextField label="Label" class="input" value={label} change={setLabel} placeholder={target?.words ?? ""} />
          <SelectField
            label="Target"
            options={targets.map(({ value, words }) => [value, words])}
            value={target?.value ?? ""}
            choose={setTarget}
          />
          <LifetimeField value={lifetime} choose={setLifetime} />
          {kind === "password" && <PasswordField value={password} change={setPassword} />}
          <button type="submit" class="button primary" aria-disabled={busy || !isReady}>
            Create share
          </button>
        </div>
        {kind === "password" && <p class="small muted">8 to 128 characters. Nobody can read it again, not even you.</p>}
        <Problem text={problem} />
      </div>
    </form>
  );
}

function Kinds({ kind, choose }: { kind: Share["kind"]; choose: (kind: Share["kind"]) => void }): JSX.Element {
  return (
    <fieldset class="choices three">
      <legend class="visually-hidden">Kind</legend>
      {KINDS.map(([value, title, words]) => (
        <label key={value} class="choice">
          <input type="radio" name="kind" checked={kind === value} onChange={() => choose(value)} />
          <span>
            <span class="strong">{title}</span> <span class="muted">{words}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function PasswordField(props: { value: string; change: (value: string) => void }): JSX.Element {
  return (
    <TextField label="Password" class="input" type="password" autocomplete="new-password" minLength={8} {...props} />
  );
}
