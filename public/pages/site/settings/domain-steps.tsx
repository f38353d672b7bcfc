import type { JSX } from "preact";
import type { DomainCapability, DomainClaim } from "../../../api/types.ts";
import { formatMoment } from "../../../format.ts";
import { CopyButton } from "../../../parts/basics.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { type Column, Table } from "../../../parts/table.tsx";
import type { Step, StepName, StepState } from "./claim-steps.ts";

const TITLES: Record<StepName, string> = {
  prove: "Verify ownership",
  point: "Point the domain to this server",
  secure: "Issue the certificate",
  connect: "Connected",
};

const STATES: Record<StepState, string> = {
  done: "done",
  current: "in progress",
  later: "not started",
  failed: "needs attention",
};

/** Future steps are shown from the start, so that all records can be set at once. */
function isOpen({ name, state }: Step): boolean {
  return state === "current" || state === "failed" || (state === "later" && name !== "connect");
}

/** A step, expanded until it is done. */
export function ClaimStep(props: {
  step: Step;
  number: number;
  claim: DomainClaim;
  capability: DomainCapability;
}): JSX.Element {
  const { name, state } = props.step;
  const isCurrent = state === "current" || state === "failed";
  return (
    <li class={`claim-step is-${state}`} aria-current={isCurrent ? "step" : undefined}>
      <span class="step-mark" aria-hidden="true">
        {markOf(state, props.number)}
      </span>
      <div class="grow">
        <h4>
          {TITLES[name]} <span class="visually-hidden">({STATES[state]})</span>
        </h4>
        {isOpen(props.step) && <Guide {...props} />}
        {state === "done" && <RecordsInPlace {...props} />}
      </div>
    </li>
  );
}

function markOf(state: StepState, number: number): JSX.Element | number {
  if (state === "done") return <Icon name="check" />;
  return state === "failed" ? <Icon name="warning" /> : number;
}

function Guide({ step, claim, capability }: { step: Step; claim: DomainClaim; capability: DomainCapability }) {
  switch (step.name) {
    case "prove":
      return (
        <>
          <p class="muted small">
            Add this record at your DNS provider before {formatMoment(claim.expires_at)}. It has to stay there.
          </p>
          <Records records={[claim.verification]} />
        </>
      );
    case "point":
      return (
        <>
          {step.state === "later" && <p class="muted small">You can already do this now.</p>}
          <AddressRecords hostname={claim.hostname} targets={capability.routing_targets} />
        </>
      );
    case "secure":
      return (
        <p class="muted small">
          The certificate is issued automatically{issuerOf(capability)}. This usually takes a minute.
        </p>
      );
    case "connect":
      return <p class="muted small">The server opens the domain from outside, as a visitor would.</p>;
  }
}

/** The records that must stay at the DNS provider. */
function RecordsInPlace({ step, claim, capability }: { step: Step; claim: DomainClaim; capability: DomainCapability }) {
  if (step.name !== "prove" && step.name !== "point") return null;
  return (
    <details class="small">
      <summary class="muted">{step.name === "prove" ? "DNS record" : "DNS records"}</summary>
      {step.name === "prove" ? (
        <Records records={[claim.verification]} />
      ) : (
        <AddressRecords hostname={claim.hostname} targets={capability.routing_targets} />
      )}
    </details>
  );
}

function issuerOf({ automatic }: DomainCapability): string {
  const host = automatic.issuer === null ? null : URL.parse(automatic.issuer)?.hostname;
  return host ? ` by ${host}` : "";
}

type Target = DomainCapability["routing_targets"][number];

function AddressRecords({ hostname, targets }: { hostname: string; targets: readonly Target[] }): JSX.Element {
  const recordsOf = (kind: (target: Target) => boolean) =>
    targets.filter(kind).map(({ type, value }) => ({ type, name: hostname, value }));
  const addresses = recordsOf(({ type }) => type !== "CNAME");
  const aliases = recordsOf(({ type }) => type === "CNAME");
  return (
    <>
      {addresses.length > 0 && <p class="muted small">Add {addresses.length > 1 ? "these records" : "this record"}:</p>}
      <Records records={addresses} />
      {aliases.length > 0 && (
        <p class="muted small">
          {addresses.length > 0 ? "Or, for a subdomain, this record instead:" : "Add this record:"}
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

/** The table's head is visible to screen readers only, because a record is recognizable. */
function Records({ records }: { records: readonly DnsRecord[] }): JSX.Element | null {
  if (records.length === 0) return null;
  return (
    <Table
      label="DNS records"
      class="records"
      columns={RECORD}
      rows={records}
      keyOf={({ type, value }) => `${type} ${value}`}
    />
  );
}

const RECORD: readonly Column<DnsRecord>[] = [
  { key: "type", head: "Type", class: "r-type", cell: ({ type }) => <code>{type}</code> },
  { key: "name", head: "Name", class: "r-name", cell: ({ name }) => <RecordValue text={name} label="the name" /> },
  { key: "value", head: "Value", cell: ({ value }) => <RecordValue text={value} label="the value" /> },
];

function RecordValue({ text, label }: { text: string; label: string }): JSX.Element {
  return (
    <span class="record-value">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}
