import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { may } from "../../../../src/domain/model/role.ts";
import type { Alias, Deployment, DomainClaim, Site } from "../../../api/types.ts";
import { requestDeploy } from "../../../deploy/request.ts";
import { count, formatBytes, formatMoment } from "../../../format.ts";
import { Ago, EmptyFace } from "../../../parts/basics.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { settingsPath } from "../../../router.ts";
import { Changes } from "../deployments/diff.tsx";
import { Actor, OriginLine } from "../deployments/facts.tsx";
import { PublishDialog } from "../deployments/publish-dialog.tsx";
import { ReportLink } from "../deployments/report-link.tsx";
import { detailsPath } from "../deployments/resources.ts";
import { headingOf, titleOf } from "../deployments/words.ts";
import { firstToExpire, validityOf } from "../settings/certificate-words.ts";
import { Validity } from "../settings/validity.tsx";

interface Props {
  readonly site: Site;
  /** The active deployment; undefined if nothing is published. */
  readonly live: Deployment | undefined;
  /** The target of a roll-back: the previously published deployment; undefined if there is none. */
  readonly before: Deployment | undefined;
  readonly aliases: readonly Alias[];
  /** Those that can still make progress, or are connected. */
  readonly claims: readonly DomainClaim[];
  readonly hosts: readonly string[];
}

/** The deployment that visitors see, with its actor, time and origin. */
export function LiveCard(props: Props): JSX.Element {
  const { site, live } = props;
  return (
    <section class="card live-card" aria-labelledby="live">
      <div class="card-head">
        {site.frozen ? (
          <span class="cold">
            <Icon name="snowflake" />
          </span>
        ) : (
          <span class={`dot ${live ? "halo" : "hollow"}`} aria-hidden="true" />
        )}
        <h2 id="live">{site.frozen ? "Not served while frozen" : live ? "Live" : "Nothing is live"}</h2>
        {live?.activated_at && !site.frozen && <span class="muted small">since {formatMoment(live.activated_at)}</span>}
        <span class="grow" />
        {live && <LiveActions {...props} live={live} />}
      </div>
      {live ? <Live {...props} live={live} /> : <NothingLive site={site} />}
    </section>
  );
}

function LiveActions({ site, live, before, hosts }: Props & { live: Deployment }): JSX.Element {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <a class="button quiet small" href={detailsPath(site.name, live.deployment_number)}>
        <Icon name="compare" /> Changes<span class="visually-hidden"> of the live deployment</span>
      </a>
      {before && !site.frozen && (
        <button type="button" class="button quiet small" onClick={() => setAsking(true)}>
          <Icon name="undo" /> Roll back
        </button>
      )}
      {asking && before && (
        <PublishDialog
          deployment={before}
          aliases={[]}
          live={live.deployment_number}
          hosts={hosts}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

type LiveProps = Pick<Props, "site" | "aliases" | "claims"> & { readonly live: Deployment };

function Live({ site, live, aliases, claims }: LiveProps): JSX.Element {
  const { deployment_number: number } = live;
  return (
    <>
      <div class="live-what">
        <p class="live-title">
          <a class="plain" href={detailsPath(site.name, number)}>
            {titleOf(live) !== null && <span class="live-num">#{number} </span>}
            {headingOf(live)}
          </a>
        </p>
        <p class="line small muted">
          <span class="who">
            <Actor deployment={live} />
          </span>
          <OriginLine deployment={live} />
          <Ago at={live.created_at} />
        </p>
        <p class="line small">
          <span class="muted">Report</span>
          <ReportLink site={site.name} number={number} />
        </p>
      </div>
      <LiveFacts site={site} live={live} aliases={aliases} claims={claims} />
    </>
  );
}

function LiveFacts({ site, live, aliases, claims }: LiveProps): JSX.Element {
  const { changes, warnings } = live;
  const newest = [...aliases].sort((one, other) => (one.updated_at < other.updated_at ? 1 : -1))[0];
  return (
    <dl class="figures live-facts">
      <div>
        <dt>{changes?.compared_with ? `Changes since #${changes.compared_with}` : "Changes"}</dt>
        <dd>{changes?.compared_with === null ? "All files are new" : <Changes deployment={live} />}</dd>
      </div>
      <div>
        <dt>Size</dt>
        <dd>
          {formatBytes(live.size_bytes)}
          <span class="side">{count(live.file_count, "file")}</span>
        </dd>
      </div>
      <div>
        <dt>Upload warnings</dt>
        <dd class="fact-line">
          {warnings.length === 0 ? (
            <>
              <span class="good">
                <Icon name="check" />
              </span>
              None
            </>
          ) : (
            <a class="warn" href={detailsPath(site.name, live.deployment_number)}>
              {count(warnings.length, "warning")}
            </a>
          )}
        </dd>
      </div>
      <div>
        <dt>Aliases</dt>
        <dd class="fact-line">
          {aliases.length}
          {newest && (
            <a class="side" href={newest.url} target="_blank" rel="noopener">
              newest {newest.name}
            </a>
          )}
        </dd>
      </div>
      {claims.length > 0 && (
        <div>
          <dt>Domains</dt>
          <dd class="fact-line">
            <DomainHealth site={site} claims={claims} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function DomainHealth({ site, claims }: Pick<Props, "site" | "claims">): JSX.Element {
  const connected = claims.filter(({ connection_status }) => connection_status === "connected").length;
  const certificate = firstToExpire(claims);
  // Each domain has it in its card; here only where somebody has to act.
  const isAlarming = certificate !== null && validityOf(certificate, Date.now()).soon;
  return (
    <>
      {connected === claims.length ? (
        <>
          <span class="good">
            <Icon name="check" />
          </span>
          All connected
        </>
      ) : may(site.role, "manage_domains") ? (
        <a class="plain" href={settingsPath(site.name, "domains")}>
          {connected} of {claims.length} connected
        </a>
      ) : (
        `${connected} of ${claims.length} connected`
      )}
      {isAlarming && <Validity certificate={certificate} />}
    </>
  );
}

/** The card while it loads, in its real layout. */
export function LiveSkeleton(): JSX.Element {
  return (
    <div class="card live-card" aria-hidden="true">
      <div class="card-head">
        <span class="dot hollow" />
        <span class="bone w3" />
      </div>
      <div class="live-what">
        <p class="live-title">
          <span class="bone w1" />
        </p>
        <p class="line small">
          <span class="bone w2" />
        </p>
      </div>
      <dl class="figures live-facts">
        {["Changes", "Size", "Upload warnings", "Aliases"].map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>&nbsp;</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function NothingLive({ site }: { site: Site }): JSX.Element {
  return (
    <EmptyFace icon="upload" title="Nothing is published yet">
      <p>
        Visitors get a page that says so. Publish a preview, or deploy: drop a folder or a ZIP anywhere on this page.
      </p>
      {!site.frozen && (
        <div class="actions">
          <button type="button" class="button" onClick={() => requestDeploy({ site: site.name, dropped: null })}>
            Choose files
          </button>
        </div>
      )}
    </EmptyFace>
  );
}
