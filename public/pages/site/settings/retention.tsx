import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call, isUnreachable } from "../../../api/client.ts";
import { type Resource, useResource } from "../../../api/resource.ts";
import type { Retention, RetentionPolicy, RetentionPreview, Site } from "../../../api/types.ts";
import { count, formatBytes } from "../../../format.ts";
import { Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { TextField } from "../../../parts/field.tsx";
import { useKept } from "../../../parts/kept.ts";
import { keyOf } from "../../../parts/of-site.ts";
import { announce, attempt } from "../../../parts/toasts.tsx";
import { policySentence, ruleOf } from "./policy-words.ts";

/** Debounce of the preview. */
const DEBOUNCE_MS = 300;

/** The retention policy of a site, with a preview of what a change deletes. */
export function RetentionSection({ site }: { site: Site }): JSX.Element {
  const retention = useResource<Retention>(pathOf(site.name));
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

interface PolicyProps {
  readonly site: string;
  readonly now: Retention;
  readonly retention: Resource<Retention>;
}

function Policy({ site, now, retention }: PolicyProps): JSX.Element {
  const draft = useDraft(site, now);
  const { last, days, wanted } = draft;
  const { busy, save, drop } = useChanges({ site, now, retention }, draft.forget);
  const submit = (event: Event) => {
    event.preventDefault();
    if (wanted && !busy) void save(wanted);
  };
  return (
    <form class="card card-body form" onSubmit={submit}>
      <p>
        {policySentence(now.effective)}{" "}
        <span class="muted">{now.policy ? "Set for this site." : "This is the server default."}</span>
      </p>
      <div class="form-row">
        <Rule label="Deployments to keep" text={last} type={(text) => draft.type("last", text, busy)} />
        <Rule label="Days to keep" text={days} type={(text) => draft.type("days", text, busy)} />
      </div>
      <p class="small" role="status">
        {wanted ? <Preview site={site} policy={wanted} /> : "Enter whole numbers of 1 or more, or leave a field empty."}
      </p>
      {now.policy && (
        <p class="small muted">
          With the server default: <Figure path={`${pathOf(site)}/preview?default=true`} />
        </p>
      )}
      <div class="actions">
        <button type="submit" class="button primary" aria-disabled={busy || !wanted || isSame(wanted, now.policy)}>
          Save
        </button>
        {now.policy && (
          <button type="button" class="button" aria-disabled={busy} onClick={drop}>
            Use server default
          </button>
        )}
      </div>
    </form>
  );
}

/** The typed rules, which survive a reload; the saved ones where nothing is typed. */
function useDraft(site: string, { effective }: Retention) {
  const [typedLast, setLast] = useKept<string | null>(keyOf(site, "retention.last"), null);
  const [typedDays, setDays] = useKept<string | null>(keyOf(site, "retention.days"), null);
  const saved = { last: textOf(effective.keep_last), days: textOf(effective.keep_days) };
  const [last, days] = [typedLast ?? saved.last, typedDays ?? saved.days];
  const [keep_last, keep_days] = [ruleOf(last), ruleOf(days)];
  return {
    last,
    days,
    /** The typed policy; null if a rule is no number. */
    wanted: keep_last === undefined || keep_days === undefined ? null : { keep_last, keep_days },
    /** A text equal to the saved value is no draft, unless another value is being saved. */
    type(rule: "last" | "days", text: string, isSaving: boolean): void {
      const set = rule === "last" ? setLast : setDays;
      set(text === saved[rule] && !isSaving ? null : text);
    },
    /** Text that was typed meanwhile stays. */
    forget(): void {
      setLast((text) => (text === typedLast ? null : text));
      setDays((text) => (text === typedDays ? null : text));
    },
  };
}

/** Saves a policy, or returns to the server's. */
function useChanges({ site, retention }: PolicyProps, forgetTyped: () => void) {
  const [busy, setBusy] = useState(false);
  const run = async (operation: () => Promise<void>) => {
    setBusy(true);
    await attempt(operation);
    setBusy(false);
  };
  const save = (policy: RetentionPolicy) =>
    run(async () => {
      const saved = await call<Retention>("PUT", pathOf(site), policy);
      retention.set(({ pinned }) => ({ ...saved, pinned }));
      forgetTyped();
      announce(`Retention saved. ${policySentence(policy)}`);
    });
  const drop = () =>
    run(async () => {
      await call("DELETE", pathOf(site));
      announce("This site now uses the server default.");
      // The response does not contain the server's policy.
      await retention.reload();
      forgetTyped();
    });
  return { busy, save, drop };
}

function pathOf(site: string): string {
  return `/sites/${site}/retention`;
}

function Rule(props: { label: string; text: string; type: (text: string) => void }): JSX.Element {
  return (
    <TextField
      label={props.label}
      inputMode="numeric"
      placeholder="not set"
      value={props.text}
      aria-invalid={ruleOf(props.text) === undefined}
      change={props.type}
    />
  );
}

/** The preview of a policy, loaded after typing has stopped. */
function Preview({ site, policy }: { site: string; policy: RetentionPolicy }): JSX.Element {
  const rules = Object.entries(policy).filter(([, value]) => value !== null);
  const query = rules.map(([rule, value]) => `${rule}=${value}`).join("&");
  const [requested, setRequested] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setRequested(query), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [query]);
  if (query === "") return <>No deployments will be deleted.</>;
  return <Figure path={`${pathOf(site)}/preview?${requested === "" ? query : requested}`} />;
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
