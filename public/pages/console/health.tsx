import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Resource, useResource } from "../../api/resource.ts";
import type { Examination } from "../../api/types.ts";
import { count, formatNumber, sentence } from "../../format.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Ago, Loaded } from "../../parts/basics.tsx";
import { Card } from "../../parts/card.tsx";
import { Icon } from "../../parts/icons.tsx";

/** A long interval, because the checks start a process on the server. */
const EVERY = 5 * 60_000;

type Finding = Examination["findings"][number];

/**
 * Returns the last examination. The first one begins once the page is `ready` and the browser has nothing to do, because
 * the checks would slow both down.
 */
export function useExamination(ready: boolean): Resource<Examination> {
  return useResource<Examination>("/admin/doctor", { every: EVERY, when: useIdle(ready) });
}

/** Returns whether the browser had nothing to do after `ready`. */
function useIdle(ready: boolean): boolean {
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    if (!ready) return;
    const settle = () => setIdle(true);
    // Safari has no such callback.
    if (!("requestIdleCallback" in globalThis)) {
      const timer = setTimeout(settle, IDLE_WITHIN_MS / 4);
      return () => clearTimeout(timer);
    }
    const request = requestIdleCallback(settle, { timeout: IDLE_WITHIN_MS });
    return () => cancelIdleCallback(request);
  }, [ready]);
  return idle;
}

const IDLE_WITHIN_MS = 1000;

/** The number of findings that need action, beside the heading of the page. */
export function HealthBadge({ examination }: { examination: Examination | undefined }): JSX.Element | null {
  const open = examination?.findings.filter(({ verdict }) => verdict !== "ok") ?? [];
  if (open.length === 0) return null;
  const problems = open.filter(({ verdict }) => verdict === "problem").length;
  return (
    <a class={problems > 0 ? "badge bad" : "badge warn"} href="#health">
      <Icon name="warning" />
      {problems > 0 ? count(problems, "problem") : count(open.length, "warning")}
    </a>
  );
}

/** The findings: those that need action are open, the others are folded. */
export function HealthChecks({ examination }: { examination: Resource<Examination> }): JSX.Element {
  const { data } = examination;
  return (
    <div id="health">
      <Card
        title="Health checks"
        actions={
          <>
            {data && (
              <span class="muted small wide-only">
                {count(data.findings.length, "check")}, <Ago at={data.checked_at} />
              </span>
            )}
            <ActionButton class="quiet small" run={examination.reload}>
              <Icon name="refresh" /> Check again
            </ActionButton>
          </>
        }
      >
        <Loaded resource={examination} what="the health checks" skeleton={<FindingsSkeleton />}>
          {({ findings }) => <Findings findings={findings} />}
        </Loaded>
      </Card>
    </div>
  );
}

const ORDER = ["problem", "warning"] as const;

/** The number of open findings shown at first: a broken database has one for each deployment. */
const FEW = 20;

function Findings({ findings }: { findings: readonly Finding[] }): JSX.Element {
  const [all, setAll] = useState(false);
  const open = ORDER.flatMap((wanted) => findings.filter(({ verdict }) => verdict === wanted));
  const passed = findings.filter(({ verdict }) => verdict === "ok");
  return (
    <ul class="list findings">
      {(all ? open : open.slice(0, FEW)).map((finding) => (
        <OpenFinding key={`${finding.check} ${finding.detail}`} finding={finding} />
      ))}
      {!all && open.length > FEW && (
        <li>
          <span class="grow muted">and {formatNumber(open.length - FEW)} more</span>
          <button type="button" class="button small" onClick={() => setAll(true)}>
            Show all
          </button>
        </li>
      )}
      {passed.length > 0 && (
        <li class="finding-ok">
          <span class="good">
            <Icon name="check" />
          </span>
          <details class="grow">
            <summary class="muted">{passedText(passed)}</summary>
            <ul class="passed small muted">
              {passed.map(({ check, detail }) => (
                <li key={`${check} ${detail}`}>
                  <span class="strong">{sentence(`${check} `).trim()}:</span> {detail}
                </li>
              ))}
            </ul>
          </details>
        </li>
      )}
    </ul>
  );
}

function passedText(passed: readonly Finding[]): string {
  const names = [...new Set(passed.map(({ check }) => check))];
  return `${count(passed.length, "check")} passed: ${names.join(", ")}`;
}

function OpenFinding({ finding: { check, verdict, detail, advice } }: { finding: Finding }): JSX.Element {
  return (
    <li>
      <span class={verdict === "problem" ? "bad" : "warn"}>
        <Icon name="warning" />
        <span class="visually-hidden">{verdict === "problem" ? "Problem" : "Warning"}</span>
      </span>
      <div class="grow">
        <p class="strong">
          {sentence(`${check} `).trim()}: {detail}
        </p>
        {advice !== null && <p class="small muted">{sentence(advice)}</p>}
      </div>
    </li>
  );
}

function FindingsSkeleton(): JSX.Element {
  return (
    <ul class="list findings" aria-hidden="true">
      <li>
        <span class="bone" style={{ width: "16rem" }} />
      </li>
    </ul>
  );
}
