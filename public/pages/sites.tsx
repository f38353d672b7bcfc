import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../api/resource.ts";
import type { HostingCapability, SharedSite, Site } from "../api/types.ts";
import { requestDeploy } from "../deploy/request.ts";
import { count, formatBytes, initialOf } from "../format.ts";
import { Ago, Copyable, Loaded, NotLoaded, Page, SkeletonRows } from "../parts/basics.tsx";
import { Icon } from "../parts/icons.tsx";
import { sitePath } from "../router.ts";

/** From this number of sites on, a search field is shown. */
const SEARCHABLE = 6;

export function SitesPage(): JSX.Element {
  const sites = useResource<Site[]>("/sites");
  const hosting = useResource<HostingCapability>("/capabilities/hosting", { fixed: true });
  const newSite = () => requestDeploy({ site: null, dropped: null });
  return (
    <Page title="Sites">
      <div class="head">
        <h1 class="grow" tabIndex={-1}>
          Sites
        </h1>
        <button type="button" class="button primary" onClick={newSite}>
          <Icon name="plus" /> New site
        </button>
      </div>
      <NotLoaded resource={hosting} what="the addresses" />
      <Loaded resource={sites} what="your sites" skeleton={<SkeletonRows rows={4} />}>
        {(all) => (all.length === 0 ? <FirstSite /> : <SiteList sites={all} siteUrl={hosting.data?.site_url} />)}
      </Loaded>
      <SharedSites />
    </Page>
  );
}

function SiteList({ sites, siteUrl }: { sites: readonly Site[]; siteUrl: string | undefined }): JSX.Element {
  const [wanted, setWanted] = useState("");
  const newestFirst = [...sites].sort((one, other) => (one.last_deployed_at < other.last_deployed_at ? 1 : -1));
  const found = newestFirst.filter(({ name }) => name.includes(wanted.trim().toLowerCase()));
  return (
    <div class="section">
      {sites.length >= SEARCHABLE && (
        <label class="with-icon">
          <Icon name="search" />
          <input
            type="search"
            value={wanted}
            placeholder="Find a site"
            aria-label="Find a site"
            onInput={(event) => setWanted(event.currentTarget.value)}
          />
        </label>
      )}
      <ul class="card rows">
        {found.map((site) => (
          <SiteRow key={site.name} site={site} siteUrl={siteUrl} />
        ))}
        {found.length === 0 && <li class="row muted">No sites match “{wanted}”.</li>}
      </ul>
      <p class="visually-hidden" role="status">
        {wanted === "" ? "" : count(found.length, "site")}
      </p>
    </div>
  );
}

/** Sites shared with the user; renders nothing if there are none. */
function SharedSites(): JSX.Element | null {
  const shared = useResource<SharedSite[]>("/shared-sites");
  if (!shared.data?.length) return <NotLoaded resource={shared} what="the sites that are shared with you" />;
  return (
    <section class="section">
      <div class="section-head">
        <h2>Shared with me</h2>
        <p class="muted small">Private sites of other people that you can open as a reader.</p>
      </div>
      <ul class="card rows">
        {shared.data.map((site) => (
          <SharedRow key={site.name} site={site} />
        ))}
      </ul>
    </section>
  );
}

function SharedRow({ site: { name, url, owner, frozen } }: { site: SharedSite }): JSX.Element {
  return (
    <li class="row site-row">
      <span class="tile" aria-hidden="true">
        {initialOf(name)}
      </span>
      <div class="site-name">
        <a class="row-link" href={url} target="_blank" rel="noopener">
          {name}
        </a>
        {frozen && <span class="badge bad">Frozen</span>}
        <span class="site-host">{url.replace(/^https?:\/\//, "")}</span>
      </div>
      <p class="muted small">Owner: {owner}</p>
    </li>
  );
}

function SiteRow({ site, siteUrl }: { site: Site; siteUrl: string | undefined }): JSX.Element {
  const host = siteUrl?.replace("{site}", () => site.name).replace(/^https?:\/\//, "") ?? "";
  return (
    <li class="row site-row">
      <span class="tile" aria-hidden="true">
        {initialOf(site.name)}
      </span>
      <div class="site-name">
        <a class="row-link" href={sitePath(site.name)}>
          {site.name}
        </a>
        {site.private && (
          <span class="badge">
            <Icon name="lock" size={12} /> Private
          </span>
        )}
        {site.frozen && <span class="badge bad">Frozen</span>}
        <span class="site-host">{host || "\u00a0"}</span>
      </div>
      <dl class="site-facts">
        <div>
          <dt>Views</dt>
          <dd class="number">{site.total_views.toLocaleString("en")}</dd>
        </div>
        <div>
          <dt>Size</dt>
          <dd class="number">{site.size_bytes === null ? "–" : formatBytes(site.size_bytes)}</dd>
        </div>
        <div>
          <dt>Deployed</dt>
          <dd>
            <Ago at={site.last_deployed_at} />
          </dd>
        </div>
      </dl>
    </li>
  );
}

/** The page of a user without sites: three ways to create the first one. */
function FirstSite(): JSX.Element {
  const curl = `curl ${location.origin}/deploy \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -F file=@site.zip`;
  const cli = `vitrine login --server ${location.origin}\nvitrine deploy ./dist`;
  return (
    <div class="section">
      <button type="button" class="drop-zone" onClick={() => requestDeploy({ site: null, dropped: null })}>
        <Icon name="upload" size={28} />
        <strong>Drag a folder or a ZIP here</strong>
        <span class="muted">or choose one. Your site is live within seconds.</span>
      </button>
      <div class="ways">
        <section class="card card-body">
          <h2>Command line</h2>
          <p class="muted small">Sign in once, then deploy any folder.</p>
          <Copyable text={cli} label="the commands" block />
        </section>
        <section class="card card-body">
          <h2>curl</h2>
          <p class="muted small">
            Create a token on the Tokens page of a site. For your first site, ask the operator for a session token (
            <code>vitrine users session LOGIN</code>).
          </p>
          <Copyable text={curl} label="the curl command" block />
        </section>
      </div>
    </div>
  );
}
