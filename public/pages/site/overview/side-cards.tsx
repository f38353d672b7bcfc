import type { JSX } from "preact";
import { may } from "../../../../src/domain/model/role.ts";
import { useResource } from "../../../api/resource.ts";
import type {
  AuditEntry,
  DeploymentToken,
  DomainClaim,
  Member,
  PreviewPolicy,
  Publisher,
  Reader,
  Share,
  Site,
} from "../../../api/types.ts";
import { count, formatMoment } from "../../../format.ts";
import { Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { Card } from "../../../parts/card.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { ROLE_NAMES } from "../../../parts/role-names.ts";
import { settingsPath, sitePath } from "../../../router.ts";
import { ActivityList } from "../activity-list.tsx";
import { CONNECTIONS } from "../settings/claim-words.ts";
import { accessWords, peopleWords } from "../settings/preview-words.ts";
import { Validity } from "../settings/validity.tsx";

/** The URLs of the site with their health. */
export function DomainsCard(props: { site: Site; host: string; claims: readonly DomainClaim[] }): JSX.Element {
  const { site, host, claims } = props;
  const manage = may(site.role, "manage_domains") && (
    <a class="button quiet small" href={settingsPath(site.name, "domains")}>
      Manage<span class="visually-hidden"> the domains</span>
    </a>
  );
  return (
    <Card title="Domains" class="domains-card" actions={manage}>
      <ul class="list">
        {claims.map((claim) => {
          const { icon, tone, words } = CONNECTIONS[claim.connection_status];
          return (
            <li key={claim.id}>
              <span class={tone === "accent" ? "accent-text" : tone}>
                <Icon name={icon} />
              </span>
              <div class="grow">
                <span class="cut strong">{claim.hostname}</span>
                <span class="cut tiny muted">
                  {words}
                  {claim.target && `, shows the alias ${claim.target.alias}`}
                  {claim.certificate && (
                    <>
                      , <Validity certificate={claim.certificate} />
                    </>
                  )}
                </span>
              </div>
            </li>
          );
        })}
        <li>
          <span class={site.frozen ? "cold" : "good"}>
            <Icon name={site.frozen ? "snowflake" : "check"} />
          </span>
          <div class="grow">
            <span class="cut strong">{host}</span>
            <span class="cut tiny muted">{site.frozen ? "Not served while frozen" : "URL on this server"}</span>
          </div>
        </li>
      </ul>
    </Card>
  );
}

/** The access to the site, and its automatic deployments, as far as the role shows them. */
export function AccessCard({ site }: { site: Site }): JSX.Element {
  const { name, role } = site;
  const manage = may(role, "change_access") && (
    <a class="button quiet small" href={settingsPath(name, "access")}>
      Manage<span class="visually-hidden"> access</span>
    </a>
  );
  return (
    <Card title="Access" actions={manage}>
      <dl class="facts card-body">
        <dt>Visitors</dt>
        <dd>{site.private ? <People site={site} /> : "Everyone"}</dd>
        {may(role, "manage_previews") && <PreviewAccess site={site} />}
        {may(role, "manage_shares") && <OpenShares site={name} />}
        <dt>Created</dt>
        <dd>{formatMoment(site.created)}</dd>
        {may(role, "manage_publishers") && <Automatic site={name} />}
        {role !== "owner" && (
          <>
            <dt>Your role</dt>
            <dd>{ROLE_NAMES[role]}</dd>
          </>
        )}
      </dl>
    </Card>
  );
}

/** Reserves the line of a value that is loading. */
const LOADING = "\u00a0";

function People({ site: { name, role } }: { site: Site }): JSX.Element {
  const mayCount = may(role, "manage_readers");
  const readers = useResource<Reader[]>(`/sites/${name}/access/readers`, { when: mayCount }).data;
  const members = useResource<Member[]>(`/sites/${name}/members`, { when: mayCount }).data;
  if (!mayCount) return <>Members, readers and shares</>;
  if (readers === undefined || members === undefined) return <>{LOADING}</>;
  return <>{peopleWords(members.length - 1, readers.length)}</>;
}

function PreviewAccess({ site }: { site: Site }): JSX.Element {
  const policy = useResource<PreviewPolicy>(`/sites/${site.name}/previews`).data;
  return (
    <>
      <dt>Previews</dt>
      <dd>{policy ? accessWords(policy.access, site.private) : LOADING}</dd>
    </>
  );
}

function OpenShares({ site }: { site: string }): JSX.Element {
  const shares = useResource<Share[]>(`/sites/${site}/shares`).data;
  const open = shares?.filter(({ expires_at }) => Date.parse(expires_at) > Date.now());
  return (
    <>
      <dt>Shares</dt>
      <dd>{open ? (open.length === 0 ? "None" : count(open.length, "share")) : LOADING}</dd>
    </>
  );
}

function Automatic({ site }: { site: string }): JSX.Element {
  const publishers = useResource<Publisher[]>(`/sites/${site}/publishers`).data;
  const tokens = useResource<DeploymentToken[]>("/tokens").data?.filter(({ site_name }) => site_name === site);
  return (
    <>
      <dt>Deploys</dt>
      <dd>
        {publishers && tokens ? `${count(publishers.length, "publisher")}, ${count(tokens.length, "token")}` : LOADING}
      </dd>
    </>
  );
}

/** The number of entries shown; all of them are on their own page. */
const SHOWN = 6;

export function ActivityCard({ site }: { site: Site }): JSX.Element {
  const entries = useResource<AuditEntry[]>(`/sites/${site.name}/audit?limit=${SHOWN}`);
  const all = (
    <a class="button quiet small" href={sitePath(site.name, "activity")}>
      All<span class="visually-hidden"> activity</span>
    </a>
  );
  return (
    <Card title="Activity" class="activity-card" actions={all}>
      <Loaded resource={entries} what="the activity" skeleton={<SkeletonRows rows={3} />}>
        {(newest) =>
          newest.length === 0 ? (
            <p class="card-body muted small">No activity yet.</p>
          ) : (
            <ActivityList entries={newest} />
          )
        }
      </Loaded>
    </Card>
  );
}
