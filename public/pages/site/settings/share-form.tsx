import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import type { CreatedShare, Share, Site } from "../../../api/types.ts";
import { Problem, useProblem } from "../../../parts/dialog.tsx";
import { useKept } from "../../../parts/kept.ts";
import { keyOf } from "../../../parts/of-site.ts";
import { LifetimeField } from "./lifetime-field.tsx";
import type { ShareWithSecret } from "./new-share.tsx";
import { type ShareTarget, targetOf } from "./share-targets.ts";

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
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useProblem();
  // The target in the URL, unless everybody can open it.
  const target = targets.find(({ value }) => value === chosen) ?? targets[0];
  const isReady = label.trim() !== "" && (kind !== "password" || password !== "");
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy || !isReady || !target) return;
    setBusy(true);
    setProblem(null);
    try {
      const share = await call<CreatedShare>("POST", `/sites/${site.name}/shares`, {
        label: label.trim(),
        kind,
        target: targetOf(target.value),
        expires_in: lifetime,
        ...(kind === "password" ? { password } : {}),
      });
      created({ ...share, kind, label: label.trim(), opens: target.words });
      setLabel("");
      setPassword("");
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  return (
    <form class="card" onSubmit={submit} aria-label="New share">
      <div class="card-head">
        <h2 class="grow">New share</h2>
      </div>
      <div class="card-body">
        <fieldset class="choices three">
          <legend class="visually-hidden">Kind</legend>
          {KINDS.map(([value, title, words]) => (
            <label key={value} class="choice">
              <input type="radio" name="kind" checked={kind === value} onChange={() => setKind(value)} />
              <span>
                <span class="strong">{title}</span> <span class="muted">{words}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <div class="form-row">
          <label class="field">
            Label
            <input
              class="input"
              value={label}
              placeholder="Who is it for?"
              autocomplete="off"
              onInput={(event) => setLabel(event.currentTarget.value)}
            />
          </label>
          <label class="field">
            Target
            <select value={target?.value} onChange={(event) => setTarget(event.currentTarget.value)}>
              {targets.map(({ value, words }) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <LifetimeField value={lifetime} choose={setLifetime} />
          {kind === "password" && (
            <label class="field">
              Password
              <input
                class="input"
                type="password"
                value={password}
                autocomplete="new-password"
                minLength={8}
                onInput={(event) => setPassword(event.currentTarget.value)}
              />
            </label>
          )}
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
