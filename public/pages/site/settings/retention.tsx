import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call, isUnreachable } from "../../../api/client.ts";
import { type Resource, useResource } from "../../../api/resource.ts";
import type { Retention, RetentionPolicy, RetentionPreview, Site } from "../../../api/types.ts";
import { count, formatBytes } from "../../../format.ts";
import { Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { useKept } from "../../../parts/kept.ts";
import { keyOf } from "../../../parts/of-site.ts";
import { announce, attempt } from "../../../parts/toasts.tsx";
import { policySentence, ruleOf } from "./policy-words.ts";

/** Debounce of the preview in milliseconds. */
const TYPING_PAUSE = 300;

/** The retention policy of a site, with a preview of what a change deletes. */
export function RetentionSection({ site }: { site: Site }): JSX.Element {
  const retention = useResource<Retention>(`/sites/${site.name}/retention`);
  return (
    <section class="section">
      <div class="section-head">
        <h2>Deployment retention</h2>
        <p class="muted small">
          The live deployment, the one before it, pinned deployments and those that were live in the last 7 days are
          always kept.
        </p>
      </div>
      <Loaded resource={retention} what="the retention" skeleton={<SkeletonRows rows={1} />}>
        {(now) => <Policy site={site.name} now={now} retention={retention} />}
      </Loaded>
    </section>
  );
}

function Policy(props: { site: string; now: Retention; retention: Resource<Retention> }): JSX.Element {
  const { site, now, retention } = props;
  const [typedLast, setLast] = useKept<string | null>(keyOf(site, "retention.last"), null);
  const [typedDays, setDays] = useKept<string | null>(keyOf(site, "retention.days"), null);
  const [lastNow, daysNow] = [textOf(now.effective.keep_last), textOf(now.effective.keep_days)];
  const [last, days] = [typedLast ?? lastNow, typedDays ?? daysNow];
  const [busy, setBusy] = useState(false);
  const [keep_last, keep_days] = [ruleOf(last), ruleOf(days)];
  const wanted = keep_last === undefined || keep_days === undefined ? null : { keep_last, keep_days };
  const forgetTyped = () => {
    // Text that was typed meanwhile stays.
    setLast((text) => (text === typedLast ? null : text));
    setDays((text) => (text === typedDays ? null : text));
  };
  const path = `/sites/${site}/retention`;
  const save = async (policy: RetentionPolicy) => {
    const saved = await call<Retention>("PUT", path, policy);
    retention.set(({ pinned }) => ({ ...saved, pinned }));
    forgetTyped();
    announce(`Retention saved. ${policySentence(policy)}`);
  };
  const drop = async () => {
    await call("DELETE", path);
    announce("This site now uses the server default.");
    // The response does not contain the server's policy.
    await retention.reload();
    forgetTyped();
  };
  const run = async (operation: () => Promise<void>) => {
    setBusy(true);
    await attempt(operation);
    setBusy(false);
  };
  // A text equal to the saved value is no draft, unless another value is being saved.
  const typed = (text: string, figure: string) => (text === figure && !busy ? null : text);
  const submit = (event: Event) => {
    event.preventDefault();
    if (wanted) void run(() => save(wanted));
  };
  return (
    <form class="card card-body form" onSubmit={submit}>
      <p>
        {policySentence(now.effective)}{" "}
        <span class="muted">{now.policy ? "Set for this site." : "This is the server default."}</span>
      </p>
      <div class="form-row">
        <Rule label="Deployments to keep" text={last} rule={keep_last} type={(text) => setLast(typed(text, lastNow))} />
        <Rule label="Days to keep" text={days} rule={keep_days} type={(text) => setDays(typed(text, daysNow))} />
      </div>
      <p class="small" role="status">
        {wanted ? <Preview site={site} policy={wanted} /> : "Enter whole numbers of 1 or more, or leave a field empty."}
      </p>
      {now.policy && (
        <p class="small muted">
          With the server default: <Figure path={`/sites/${site}/retention/preview?default=true`} />
        </p>
      )}
      <div class="actions">
        <button type="submit" class="button primary" aria-disabled={busy || !wanted || isSame(wanted, now.policy)}>
          Save
        </button>
        {now.policy && (
          <button type="button" class="button" aria-disabled={busy} onClick={() => run(drop)}>
            Use server default
          </button>
        )}
      </div>
    </form>
  );
}

function Rule(props: {
  label: string;
  text: string;
  rule: number | null | undefined;
  type: (text: string) => void;
}): JSX.Element {
  return (
    <label class="field">
      {props.label}
      <input
        inputMode="numeric"
        autocomplete="off"
        placeholder="not set"
        value={props.text}
        aria-invalid={props.rule === undefined}
        onInput={(event) => props.type(event.currentTarget.value)}
      />
    </label>
  );
}

/** The preview of a policy, loaded after typing has stopped. */
function Preview({ site, policy }: { site: string; policy: RetentionPolicy }): JSX.Element {
  const rules = Object.entries(policy).filter(([, value]) => value !== null);
  const query = rules.map(([rule, value]) => `${rule}=${value}`).join("&");
  const [requested, setRequested] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setRequested(query), TYPING_PAUSE);
    return () => clearTimeout(timer);
  }, [query]);
  if (query === "") return <>No deployments will be deleted.</>;
  return <Figure path={`/sites/${site}/retention/preview?${requested === "" ? query : requested}`} />;
}

function Figure({ path }: { path: string }): JSX.Element {
  const { data, error } = useResource<RetentionPreview>(path);
  if (error && !isUnreachable(error)) return <>{error.detail}</>;
  if (!data) return <>Calculating …</>;
  if (data.deployments.length === 0) return <>No deployments will be deleted.</>;
  return (
    <>
      {count(data.deployments.length, "deployment")} will be deleted within an hour, freeing{" "}
      <strong>{formatBytes(data.bytes)}</strong>.
    </>
  );
}

function textOf(rule: number | null): string {
  return rule === null ? "" : String(rule);
}

function isSame(one: RetentionPolicy, other: RetentionPolicy | null): boolean {
  return other !== null && one.keep_last === other.keep_last && one.keep_days === other.keep_days;
}
