import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { VisitExplanation } from "../../../api/types.ts";
import { CopyButton } from "../../../parts/basics.tsx";
import { Card } from "../../../parts/card.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { type Column, Table } from "../../../parts/table.tsx";
import type { Chain } from "./chain.ts";
import { leftOutOf, sourceOf } from "./header-source.ts";
import { type ExplainStep, type StepState, stepsOf } from "./steps.ts";

/** The chain of responses, and for the selected one its steps, rule and headers. */
export function Answer({ chain }: { chain: Chain }): JSX.Element {
  const [chosen, choose] = useState(0);
  const hop = chain.hops[chosen] ?? (chain.hops[0] as VisitExplanation);
  return (
    <div class="explanation">
      <Hops chain={chain} chosen={chosen} choose={choose} />
      <div class="explain">
        <Steps explanation={hop} />
        <div class="column">
          {hop.rule && <Rule explanation={hop} />}
          <Headers explanation={hop} />
        </div>
      </div>
    </div>
  );
}

interface HopsProps {
  readonly chain: Chain;
  readonly chosen: number;
  readonly choose: (index: number) => void;
}

function Hops({ chain, chosen, choose }: HopsProps): JSX.Element {
  return (
    <section class="card" aria-label="Answers">
      <ol class="hops">
        {chain.hops.map((hop, index) => (
          <li key={hop.url} class="hop" aria-current={index === chosen ? "step" : undefined}>
            <Status status={hop.status} />
            <div class="grow">
              <p class="strong">
                <HopTitle hop={hop} />
              </p>
              <p class="tiny muted">{hop.url}</p>
            </div>
            {index !== chosen && (
              <button type="button" class="button quiet small" onClick={() => choose(index)}>
                Show steps<span class="visually-hidden"> of {hop.url}</span>
              </button>
            )}
          </li>
        ))}
        {chain.away !== null && (
          <li class="hop">
            <Icon name={chain.isLoop ? "warning" : "arrowUpRight"} />
            <div class="grow">
              <p class="strong">{chain.isLoop ? "The redirects go round in a circle" : "Leads away from the site"}</p>
              <p class="tiny muted">{chain.away}</p>
            </div>
          </li>
        )}
      </ol>
    </section>
  );
}

function HopTitle({ hop }: { hop: VisitExplanation }): JSX.Element {
  const { location } = hop.headers;
  if (location !== undefined) {
    return (
      <>
        Redirect to <code>{location}</code>
      </>
    );
  }
  return hop.file === null ? <>A plain page of the server</> : <code>{hop.file}</code>;
}

function Status({ status }: { status: number }): JSX.Element {
  const tone = status < 300 ? "ok" : status < 400 ? "redirect" : "fault";
  return <span class={`code-status ${tone}`}>{status}</span>;
}

const WORDS: Readonly<Record<StepState, string>> = {
  no: "No match",
  pass: "Passed",
  stop: "Stopped",
  hit: "Decided",
  unreached: "Not reached",
};

function Steps({ explanation }: { explanation: VisitExplanation }): JSX.Element {
  return (
    <Card title="Steps" actions={<span class="muted small">Deployment #{explanation.deployment_number}</span>}>
      <ol class="steps">
        {stepsOf(explanation).map((step, index) => (
          <Step key={step.title} step={step} number={index + 1} />
        ))}
      </ol>
    </Card>
  );
}

function Step({ step, number }: { step: ExplainStep; number: number }): JSX.Element {
  const { title, text, state } = step;
  return (
    <li class={`step ${state}`}>
      <span class="step-mark" aria-hidden="true">
        {state === "pass" || state === "hit" ? (
          <Icon name="check" />
        ) : state === "stop" ? (
          <Icon name="snowflake" />
        ) : (
          number
        )}
      </span>
      <div class="grow">
        <h3>{title}</h3>
        {text !== "" && <p class="small muted">{text}</p>}
      </div>
      <span class="step-word">{WORDS[state]}</span>
    </li>
  );
}

function Rule({ explanation }: { explanation: VisitExplanation }): JSX.Element {
  const { rule, nearby_rules } = explanation;
  return (
    <Card
      title="Matched rule"
      actions={
        <span class="muted small">
          <code>_redirects</code>, line {rule?.line}
        </span>
      }
    >
      <ol class="source">
        {nearby_rules.map(({ line, text }) => (
          <li key={line} class={line === rule?.line ? "at" : undefined}>
            <span class="n">{line}</span>
            <code>{text}</code>
            {line === rule?.line && <span class="badge accent">Decided</span>}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Headers({ explanation }: { explanation: VisitExplanation }): JSX.Element {
  const { headers, header_sources, url } = explanation;
  return (
    <Card
      title="Response headers"
      foot={leftOutOf(explanation)}
      actions={
        <>
          <span class="muted small">As curl</span>
          <CopyButton text={`curl --head '${url.replaceAll("'", "%27")}'`} label="as curl" />
        </>
      }
    >
      <Table
        label="Response headers"
        class="headers"
        columns={HEADER}
        rows={Object.entries(headers).map(([name, value]) => ({
          name,
          value,
          source: sourceOf(name, header_sources[name]),
        }))}
        keyOf={({ name }) => name}
      />
    </Card>
  );
}

interface Header {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

const HEADER: readonly Column<Header>[] = [
  { key: "name", head: "Header", isName: true, cell: ({ name }) => <code>{name}</code> },
  { key: "value", head: "Value", cell: ({ value }) => <code>{value}</code> },
  { key: "source", head: "Set by", class: "h-from muted", cell: ({ source }) => source },
];
