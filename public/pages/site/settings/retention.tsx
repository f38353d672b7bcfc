import type { JSX } from "preact";
import { MAX_GRACE_DAYS } from "../../../../src/domain/model/retention.ts";
import { call, isUnreachable } from "../../../api/client.ts";
import { type Resource, useResource } from "../../../api/resource.ts";
import type { Retention, RetentionPreview, Site } from "../../../api/types.ts";
import { count, formatBytes } from "../../../format.ts";
import { useAttempt } from "../../../parts/action-button.tsx";
import { Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { TextField } from "../../../parts/field.tsx";
import { useSettled } from "../../../parts/settled.ts";
import { announce } from "../../../parts/toasts.tsx";
import { graceOf, policySentence, ruleOf } from "./policy-words.ts";
import { type OwnPolicy, useDraft } from "./retention-draft.ts";

/** The retention policy of a site, with a preview of what a change deletes. */
export function RetentionSection({ site }: { site: Site }): JSX.Element {
  const retention = useResource<Retention>(pathOf(site.name));
  return (
    <section class="section">
      <div class="section-head">
        <h2>Deployment retention</h2>
        <p class="muted small">
          The live deployment, the one before it, pinned deployments and those that were live within the grace period
          are always kept. Visitors still get their fingerprinted files for that time.
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
  const { last, days, grace, wanted } = draft;
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
        <Rule
          label="Grace period in days"
          text={grace}
          placeholder={
            now.policy?.grace_days == null ? `${now.effective.grace_days} (server default)` : "server default"
          }
          isInvalid={graceOf(grace) === undefined}
          type={(text) => draft.type("grace", text, busy)}
        />
      </div>
      <p class="small" role="status">
        {wanted ? <Preview site={site} policy={wanted} /> : INVALID}
      </p>
      {now.policy && <DefaultPreview site={site} />}
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

const INVALID = `Enter whole numbers of 1 or more, for the grace period 0 to ${MAX_GRACE_DAYS}, or leave a field empty.`;

/** Saves a policy, or returns to the server's. */
function useChanges({ site, retention }: PolicyProps, forgetTyped: () => void) {
  const [busy, run] = useAttempt();
  const save = (policy: OwnPolicy) =>
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

interface RuleProps {
  readonly label: string;
  readonly text: string;
  readonly placeholder?: string;
  readonly isInvalid?: boolean;
  readonly type: (text: string) => void;
}

function Rule(props: RuleProps): JSX.Element {
  return (
    <TextField
      label={props.label}
      inputMode="numeric"
      placeholder={props.placeholder ?? "not set"}
      value={props.text}
      aria-invalid={props.isInvalid ?? ruleOf(props.text) === undefined}
      change={props.type}
    />
  );
}

/** The preview of a policy, loaded after typing has stopped. */
function Preview({ site, policy }: { site: string; policy: OwnPolicy }): JSX.Element {
  const rules = Object.entries(policy).filter(([, value]) => value !== null);
  const query = rules.map(([rule, value]) => `${rule}=${value}`).join("&");
  const requested = useSettled(query);
  if (policy.keep_last === null && policy.keep_days === null) return <>No deployments will be deleted.</>;
  return <Figure path={`${pathOf(site)}/preview?${requested === "" ? query : requested}`} />;
}

/** What returning to the server's policy would delete; nothing is shown if that is nothing. */
function DefaultPreview({ site }: { site: string }): JSX.Element | null {
  const path = `${pathOf(site)}/preview?default=true`;
  const { data } = useResource<RetentionPreview>(path);
  if (!data || data.deployments.length === 0) return null;
  return (
    <p class="small muted">
      With the server default: <Figure path={path} />
    </p>
  );
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

function isSame(one: OwnPolicy, other: OwnPolicy | null): boolean {
  if (other === null) return false;
  const { keep_last, keep_days, grace_days } = other;
  return one.keep_last === keep_last && one.keep_days === keep_days && one.grace_days === grace_days;
}
