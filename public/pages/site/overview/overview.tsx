import type { JSX } from "preact";
import { may } from "../../../../src/domain/model/role.ts";
import { useResource } from "../../../api/resource.ts";
import { together } from "../../../api/together.ts";
import type { Deployment, DomainClaim, PreviewPolicy, Site } from "../../../api/types.ts";
import { Loaded } from "../../../parts/basics.tsx";
import { Banner, Card } from "../../../parts/card.tsx";
import { Heads } from "../../../parts/table.tsx";
import { sitePath } from "../../../router.ts";
import { useDialogs } from "../deployments/dialogs.tsx";
import { rowsOf } from "../deployments/groups.ts";
import { pagePath, useAliases, useDeployment, useRetention } from "../deployments/resources.ts";
import { columnsOf, Row } from "../deployments/table.tsx";
import { isOpen } from "../settings/claim-steps.ts";
import { LiveCard, LiveSkeleton } from "./live-card.tsx";
import { nextStepOf } from "./next-step.ts";
import { AccessCard, ActivityCard, DomainsCard } from "./side-cards.tsx";
import { TrafficCard } from "./traffic-card.tsx";

/** The number of deployments shown; all of them are in their own tab. */
const RECENT = 6;

interface Props {
  readonly site: Site;
  readonly claims: readonly DomainClaim[];
  /** The hosts that show the active deployment, starting with that of this server. */
  readonly hosts: readonly string[];
}

export function OverviewTab({ site, claims, hosts }: Props): JSX.Element {
  const deployments = useResource<Deployment[]>(pagePath(site.name));
  const mayReadPolicy = may(site.role, "manage_previews");
  const previews = useResource<PreviewPolicy>(`/sites/${site.name}/previews`, { when: mayReadPolicy });
  const parts = [...(mayReadPolicy ? [previews] : []), useAliases(site.name), useRetention(site.name)];
  const whole = together(deployments, ...parts);
  return (
    <Loaded resource={whole} what="the deployments" skeleton={<OverviewSkeleton />}>
      {(newest) => (
        <div class="overview">
          <div class="column">
            <Lead site={site} claims={claims} hosts={hosts} newest={newest} />
            <TrafficCard site={site} />
            <Recent site={site} hosts={hosts} newest={newest.slice(0, RECENT)} />
          </div>
          <div class="column">
            <DomainsCard site={site} host={hosts[0] ?? ""} claims={claims.filter(isOpen)} />
            <AccessCard site={site} />
            <ActivityCard site={site} />
          </div>
        </div>
      )}
    </Loaded>
  );
}

function OverviewSkeleton(): JSX.Element {
  return (
    <div class="overview">
      <LiveSkeleton />
    </div>
  );
}

type Newest = { readonly newest: readonly Deployment[] };

/** The live deployment and the next step. */
function Lead({ site, claims, hosts, newest }: Props & Newest): JSX.Element {
  const aliases = useAliases(site.name).data ?? [];
  const known = newest.find(({ active }) => active);
  const card = (live: Deployment | undefined) => (
    <LiveCard
      site={site}
      live={live}
      before={publishedBefore(newest, live)}
      aliases={aliases}
      claims={claims.filter(isOpen)}
      hosts={hosts}
    />
  );
  const now = Date.now();
  const step = site.frozen
    ? null
    : nextStepOf({ site, deployments: newest, aliases, claims: claims.filter(isOpen), now });
  return (
    <>
      {known || site.active_deployment === null ? (
        card(known)
      ) : (
        <OlderLive site={site.name} number={site.active_deployment} card={card} />
      )}
      {step && (
        <div class="next-step">
          <Banner
            icon={step.icon}
            tone={step.tone}
            action={
              <a class="button small" href={step.href}>
                {step.action}
              </a>
            }
          >
            <strong>{step.title}</strong> <span class="muted">{step.text}</span>
          </Banner>
        </div>
      )}
    </>
  );
}

/** Returns the newest of the loaded deployments that was published and is older than the live one. */
function publishedBefore(newest: readonly Deployment[], live: Deployment | undefined): Deployment | undefined {
  if (live === undefined) return undefined;
  return newest.find(({ deployment_number, activated_at }) => {
    return activated_at !== null && deployment_number < live.deployment_number;
  });
}

/** The live deployment, if it is older than all loaded ones. */
function OlderLive(props: {
  site: string;
  number: number;
  card: (live: Deployment | undefined) => JSX.Element;
}): JSX.Element {
  const found = useDeployment(props.site, props.number);
  return (
    <Loaded resource={found} what="the live deployment" skeleton={<LiveSkeleton />}>
      {([live]) => props.card(live)}
    </Loaded>
  );
}

function Recent({ site, hosts, newest }: Omit<Props, "claims"> & Newest): JSX.Element {
  const aliases = useAliases(site.name).data ?? [];
  const pinned = useRetention(site.name).data?.pinned ?? [];
  const { act, dialog } = useDialogs(site, hosts);
  const columns = columnsOf({ site, act, short: true, hasAliases: false });
  const all = (
    <a class="button quiet small" href={sitePath(site.name, "deployments")}>
      All<span class="visually-hidden"> deployments</span>
    </a>
  );
  return (
    <Card title="Recent deployments" actions={all}>
      {newest.length === 0 ? (
        <p class="card-body muted small">No deployments yet.</p>
      ) : (
        <table class="table deps short as-list" aria-label="Recent deployments, newest first">
          <thead class="visually-hidden-head">
            <tr>
              <Heads columns={columns} />
            </tr>
          </thead>
          <tbody>
            {rowsOf(newest, aliases, pinned).map((row) => (
              <Row key={row.deployment.deployment_number} row={row} columns={columns} />
            ))}
          </tbody>
        </table>
      )}
      {dialog}
    </Card>
  );
}
