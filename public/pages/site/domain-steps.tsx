import type { JSX } from "preact";
import type { DomainCapability, DomainClaim } from "../../api/types.ts";
import { formatMoment } from "../../format.ts";
import { CopyButton } from "../../parts/basics.tsx";
import { Icon } from "../../parts/icons.tsx";
import type { Step, StepName, StepState } from "./claim-steps.ts";

const TITLES: Record<StepName, string> = {
  prove: "Prove that the name is yours",
  point: "Point the name here",
  secure: "Certificate",
  connect: "Connected",
};

const STATES: Record<StepState, string> = {
  done: "done",
  current: "in progress",
  later: "later",
  failed: "needs you",
};

/** A step, opened up only while it is the one to take. */
export function ClaimStep(props: { step: Step; claim: DomainClaim; capability: DomainCapability }): JSX.Element {
  const { name, state } = props.step;
  const open = state === "current" || state === "failed";
  return (
    <li class={`step ${state}`} aria-current={open ? "step" : undefined}>
      <span class="step-mark">
        <Mark state={state} />
      </span>
      <div class="step-body">
        <h4>
          {TITLES[name]} <span class="visually-hidden">({STATES[state]})</span>
        </h4>
        {open && <Guide {...props} />}
      </div>
    </li>
  );
}

function Mark({ state }: { state: StepState }): JSX.Element | null {
  if (state === "done") return <Icon name="check" size={13} />;
  if (state === "failed") return <Icon name="warning" size={13} />;
  return null;
}

function Guide({ step, claim, capability }: { step: Step; claim: DomainClaim; capability: DomainCapability }) {
  switch (step.name) {
    case "prove":
      return (
        <>
          <p class="muted small">
            Set this record at your DNS provider before {formatMoment(claim.expires_at)}. It has to stay there.
          </p>
          <Records records={[claim.verification]} />
        </>
      );
    case "point":
      return <PointGuide hostname={claim.hostname} targets={capability.routing_targets} />;
    case "secure":
      return (
        <p class="muted small">
          A certificate is on order{capability.automatic.issuer ? ` from ${capability.automatic.issuer}` : ""}, or not
          yet presented. This takes a minute, sometimes a few.
        </p>
      );
    case "connect":
      return <p class="muted small">The name is opened from outside, as a visitor would.</p>;
  }
}

type Target = DomainCapability["routing_targets"][number];

function PointGuide({ hostname, targets }: { hostname: string; targets: readonly Target[] }): JSX.Element {
  const recordsOf = (kind: (target: Target) => boolean) =>
    targets.filter(kind).map(({ type, value }) => ({ type, name: hostname, value }));
  const addresses = recordsOf(({ type }) => type !== "CNAME");
  const aliases = recordsOf(({ type }) => type === "CNAME");
  return (
    <>
      {addresses.length > 0 && <p class="muted small">Set {addresses.length > 1 ? "these records" : "this record"}:</p>}
      <Records records={addresses} />
      {aliases.length > 0 && (
        <p class="muted small">
          {addresses.length > 0 ? "Or, for a name below your domain, this one instead:" : "Set this record:"}
        </p>
      )}
      <Records records={aliases} />
    </>
  );
}

interface DnsRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

function Records({ records }: { records: readonly DnsRecord[] }): JSX.Element | null {
  if (records.length === 0) return null;
  return (
    <div class="records">
      {records.map(({ type, name, value }) => (
        <dl class="record" key={`${type} ${value}`}>
          <div>
            <dt>Type</dt>
            <dd>
              <code>{type}</code>
            </dd>
          </div>
          <div>
            <dt>Name</dt>
            <dd>
              <code>{name}</code>
              <CopyButton text={name} label="the name" />
            </dd>
          </div>
          <div>
            <dt>Value</dt>
            <dd>
              <code>{value}</code>
              <CopyButton text={value} label="the value" />
            </dd>
          </div>
        </dl>
      ))}
    </div>
  );
}
