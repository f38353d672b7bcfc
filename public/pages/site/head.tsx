import type { JSX } from "preact";
import { may } from "../../../src/domain/model/role.ts";
import type { Site } from "../../api/types.ts";
import { requestDeploy } from "../../deploy/request.ts";
import { formatMoment, initialOf, withoutScheme } from "../../format.ts";
import { CopyButton, Head } from "../../parts/basics.tsx";
import { Banner } from "../../parts/card.tsx";
import { Icon } from "../../parts/icons.tsx";
import { FrozenBadge } from "../../parts/status.tsx";
import { type SiteTab, settingsPath } from "../../router.ts";
import { numberIn } from "./deployments/resources.ts";
import { expiryOf } from "./deployments/words.ts";

interface Props {
  readonly name: string;
  /** Undefined while it is loading. */
  readonly site: Site | undefined;
  readonly tab: SiteTab;
  readonly url: string | undefined;
  /** The hosts that show the active deployment. */
  readonly hosts: readonly string[];
}

/** The heading of a site's page: with its URL in the overview, and with a description in the other tabs. */
export function SiteHead(props: Props): JSX.Element {
  const { name, site, tab } = props;
  switch (tab) {
    case "overview":
      return <OverviewHead {...props} />;
    case "deployments":
      return (
        <Head title="Deployments">
          {/* Also until the role is known: what comes later would move the other button. */}
          {(site === undefined || may(site.role, "manage_retention")) && (
            <a class="button" href={settingsPath(name, "retention")}>
              <Icon name="settings" /> Retention
            </a>
          )}
          <DeployButton name={name} site={site} />
        </Head>
      );
    case "explain":
      return <Heading title="Explain" text="See what visitors get at a URL, and which file or rule decides." />;
    case "activity":
      return <Heading title="Activity" text={activityText(name, site)} />;
    case "files":
      return <Heading title={titleOf("Files")} text={`Everything that this deployment of ${name} contains.`} />;
    case "report":
      return (
        <Heading title={titleOf("Report")} text="Broken links and other findings, judged as the server answers." />
      );
    case "analytics":
      return <HiddenHeading title={`Analytics of ${name}`} />;
    case "settings":
      return <HiddenHeading title={`Settings of ${name}`} />;
  }
}

function activityText(name: string, site: Site | undefined): string {
  const isWithAddresses = site !== undefined && may(site.role, "read_addresses");
  return `Every change to ${name}: who made it${isWithAddresses ? ", when and from which IP address" : " and when"}.`;
}

/** The title of a page about the deployment that the URL names. */
function titleOf(what: string): string {
  const number = numberIn(location.search);
  return number === null ? what : `${what} of deployment ${number}`;
}

/** Only the name, for a site that the user does not have. */
export function HiddenHeading({ title }: { title: string }): JSX.Element {
  return (
    <h1 class="visually-hidden" tabIndex={-1}>
      {title}
    </h1>
  );
}

function Heading({ title, text }: { title: string; text: string }): JSX.Element {
  return <Head title={title} about={<p class="muted small">{text}</p>} />;
}

function OverviewHead({ name, site, url, hosts }: Props): JSX.Element {
  return (
    <div class="site-head">
      <span class="tile large" aria-hidden="true">
        {initialOf(name)}
      </span>
      <div class="grow">
        <div class="line">
          <h1 tabIndex={-1}>{name}</h1>
          {site && <StateBadge site={site} />}
          {site && <ExpiryBadge site={site} />}
          {site?.tags.map((tag) => (
            <span key={tag} class="tag wide-only">
              {tag}
            </span>
          ))}
        </div>
        <SiteUrl url={url} more={hosts.length - 1} />
      </div>
      <div class="actions">
        <Visit url={url} />
        <DeployButton name={name} site={site} />
      </div>
    </div>
  );
}

function StateBadge({ site }: { site: Site }): JSX.Element {
  if (site.frozen) return <FrozenBadge />;
  return (
    <span class="badge">
      <Icon name={site.private ? "lock" : "globe"} /> {site.private ? "Private" : "Public"}
    </span>
  );
}

function ExpiryBadge({ site }: { site: Site }): JSX.Element | null {
  const expiry = expiryOf(site.expires_at, Date.now());
  if (expiry === null) return null;
  const look = expiry.soon ? "badge warn" : "badge";
  const face = (
    <>
      <Icon name="clock" /> {expiry.text}
    </>
  );
  if (!may(site.role, "change_expiry")) return <span class={look}>{face}</span>;
  return (
    <a class={look} href={settingsPath(site.name, "retention")}>
      {face}
    </a>
  );
}

/** Reserves its line until the URL is loaded. */
function SiteUrl({ url, more }: { url: string | undefined; more: number }): JSX.Element {
  if (url === undefined) return <p class="line small">&nbsp;</p>;
  return (
    <p class="line small">
      <a href={url} target="_blank" rel="noopener">
        {withoutScheme(url)}
      </a>
      <CopyButton text={url} label="the URL" />
      {more > 0 && <span class="faint">and {more} more</span>}
    </p>
  );
}

/** Reserves its place until the URL is loaded. */
function Visit({ url }: { url: string | undefined }): JSX.Element {
  const face = (
    <>
      Visit <Icon name="arrowUpRight" />
    </>
  );
  if (url === undefined) {
    return (
      <button type="button" class="button" aria-disabled="true">
        {face}
      </button>
    );
  }
  return (
    <a class="button" href={url} target="_blank" rel="noopener">
      {face}
    </a>
  );
}

function DeployButton({ name, site }: Pick<Props, "name" | "site">): JSX.Element {
  return (
    <button
      type="button"
      class="button primary"
      aria-disabled={site === undefined || site.frozen !== undefined || hasExpired(site)}
      {...(site?.frozen ? { title: "The site is frozen", "aria-describedby": "frozen" } : {})}
      onClick={() => requestDeploy({ site: name, dropped: null })}
    >
      <Icon name="upload" /> Deploy
    </button>
  );
}

/** Returns whether the end of a site is over, so that it takes no changes. */
export function hasExpired({ expires_at: at }: Pick<Site, "expires_at">): boolean {
  return at !== null && Date.parse(at) <= Date.now();
}

export function ExpiredBanner({ name, expires_at: at, role }: Site): JSX.Element {
  const mayBringBack = may(role, "change_expiry");
  return (
    <Banner
      icon="clock"
      tone="warn"
      action={
        mayBringBack && (
          <a class="button small" href={settingsPath(name, "retention")}>
            Bring it back
          </a>
        )
      }
    >
      <strong>This site expired on {formatMoment(at ?? "")}.</strong> Visitors cannot open it, and it takes no changes.
      It is deleted seven days later
      {mayBringBack ? "." : ", unless its owner or a maintainer brings it back."}
    </Banner>
  );
}

type FrozenProps = NonNullable<Site["frozen"]> & Pick<Site, "role">;

export function FrozenBanner({ since, reason, role }: FrozenProps): JSX.Element {
  return (
    <div class="banner cold-banner" id="frozen">
      <Icon name="snowflake" />
      <p class="grow">
        <strong>The operator of this server froze this site on {formatMoment(since)}</strong>
        {reason === null ? "." : `: ${reason}${/[.!?]$/.test(reason) ? "" : "."}`} Visitors cannot open it. You can view{" "}
        {may(role, "delete") ? "it, download it, delete it and remove its domains" : "and download it"}; for anything
        else, ask the operator.
      </p>
    </div>
  );
}
