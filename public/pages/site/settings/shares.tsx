import type { JSX } from "preact";
import { call } from "../../../api/client.ts";
import { type Resource, useResource } from "../../../api/resource.ts";
import { together } from "../../../api/together.ts";
import type { Deployment, HostingCapability, PreviewPolicy, Share, Site } from "../../../api/types.ts";
import { formatNumber } from "../../../format.ts";
import { Ago, CopyButton, EmptyFace, Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { ConfirmButton } from "../../../parts/dialog.tsx";
import { Icon, type IconName } from "../../../parts/icons.tsx";
import { secretsOf } from "../../../parts/of-site.ts";
import { useOneTime } from "../../../parts/one-time.ts";
import { type Column, Table } from "../../../parts/table.tsx";
import { announce } from "../../../parts/toasts.tsx";
import { settingsPath } from "../../../router.ts";
import { Expires } from "../deployments/facts.tsx";
import { pagePath, useAliases } from "../deployments/resources.ts";
import { NewShareCard, type ShareWithSecret } from "./new-share.tsx";
import { ShareForm } from "./share-form.tsx";
import { passwordUrl, shareTargets, targetWords } from "./share-targets.ts";

export function SharesPanel({ site }: { site: Site }): JSX.Element {
  const path = `/sites/${site.name}/shares`;
  const shares = useResource<Share[]>(path);
  const newShares = useOneTime<ShareWithSecret>(secretsOf(site, "share"), shares);
  const revoked = (id: string) => {
    newShares.dismiss(id);
    shares.set((all) => all.filter((share) => share.id !== id));
  };
  return (
    <>
      <div class="section-head">
        <h2>Shares</h2>
        <p class="muted small">
          A share opens a private site or preview without an account, and nothing else. Revoking holds from the next
          request.
        </p>
      </div>
      <NewShare site={site} created={newShares.add} />
      {newShares.all.map((share) => (
        <NewShareCard key={share.id} share={share} dismiss={() => newShares.dismiss(share.id)} />
      ))}
      <ShareList site={site} shares={shares} revoked={revoked} />
    </>
  );
}

/** The form, if any part of the site is private. */
function NewShare({ site, created }: { site: Site; created: (share: ShareWithSecret) => void }): JSX.Element {
  const policy = useResource<PreviewPolicy>(`/sites/${site.name}/previews`);
  const deployments = useResource<Deployment[]>(pagePath(site.name));
  const aliases = useAliases(site.name);
  return (
    <Loaded
      resource={together(policy, deployments, aliases)}
      what="the policy for previews"
      skeleton={<SkeletonRows rows={2} />}
    >
      {({ access }) => {
        const known = { aliases: aliases.data ?? [], deployments: deployments.data ?? [] };
        const targets = shareTargets({ isSitePrivate: site.private, access, ...known });
        if (targets.length > 0) return <ShareForm site={site} targets={targets} created={created} />;
        return (
          <p class="notice">
            Everybody can open this site and its previews, so there is nothing to share. Make the site or its previews
            private under <a href={settingsPath(site.name, "access")}>Access</a> first.
          </p>
        );
      }}
    </Loaded>
  );
}

interface ListProps {
  readonly site: Site;
  readonly shares: Resource<Share[]>;
  readonly revoked: (id: string) => void;
}

const MAX_SHARES = 50;

function ShareList({ site, shares, revoked }: ListProps): JSX.Element {
  return (
    <Loaded resource={shares} what="the shares" skeleton={<SkeletonRows rows={2} />}>
      {(all) => (
        <section class="card" aria-labelledby="shares">
          <div class="card-head">
            <h2 id="shares" class="grow">
              Existing shares{" "}
              {all.length > 0 && (
                <span class="count">
                  {all.length} of {MAX_SHARES}
                </span>
              )}
            </h2>
          </div>
          {all.length === 0 ? (
            <EmptyFace icon="users" title="No shares yet">
              <p>Create one for each person or test, so that you can revoke them separately.</p>
            </EmptyFace>
          ) : (
            <Table
              label="Shares"
              class="shares as-list"
              columns={columnsOf(site.name, revoked)}
              rows={all}
              keyOf={({ id }) => id}
            />
          )}
        </section>
      )}
    </Loaded>
  );
}

const KINDS: Readonly<Record<Share["kind"], readonly [words: string, icon: IconName]>> = {
  link: ["Link", "link"],
  password: ["Password", "key"],
  automation: ["Automation", "agent"],
};

type Revoked = ListProps["revoked"];

function columnsOf(site: string, revoked: Revoked): readonly Column<Share>[] {
  return [
    { key: "label", head: "Label", class: "s-label", isName: true, cell: (share) => <Label share={share} /> },
    {
      key: "target",
      head: "Target",
      class: "s-target",
      cell: ({ target }) => <span class="cut">{targetWords(target, site)}</span>,
    },
    { key: "uses", head: "Uses", class: "s-uses num", cell: (share) => <Uses share={share} /> },
    { key: "expires", head: "Expires", class: "s-exp", cell: ({ expires_at }) => <Expires at={expires_at} /> },
    {
      key: "actions",
      head: "",
      class: "s-more",
      cell: (share) => <Actions site={site} share={share} revoked={revoked} />,
    },
  ];
}

function Label({ share: { kind, label } }: { share: Share }): JSX.Element {
  const [words, icon] = KINDS[kind];
  return (
    <span class="line nowrap-line">
      <span class="muted">
        <Icon name={icon} />
      </span>
      <span class="cut strong">{label}</span>
      <span class="badge">{words}</span>
    </span>
  );
}

function Uses({ share: { uses, last_used_at } }: { share: Share }): JSX.Element {
  return (
    <>
      {formatNumber(uses)}
      <span class="tiny faint block">
        {last_used_at === null ? (
          "never used"
        ) : (
          <>
            last <Ago at={last_used_at} />
          </>
        )}
      </span>
    </>
  );
}

function Actions({ site, share, revoked }: { site: string; share: Share; revoked: Revoked }): JSX.Element {
  const siteUrl = useResource<HostingCapability>("/capabilities/hosting", { fixed: true }).data?.site_url;
  const { label } = share;
  const revoke = async () => {
    await call("DELETE", `/sites/${site}/shares/${share.id}`);
    revoked(share.id);
    announce(`The share ${label} was revoked.`);
  };
  return (
    <span class="line nowrap-line end">
      {share.kind === "password" && siteUrl && (
        <CopyButton text={passwordUrl(share, site, siteUrl)} label={`the URL of ${label}`} />
      )}
      <ConfirmButton
        label={
          <>
            Revoke<span class="visually-hidden"> {label}</span>
          </>
        }
        class="small"
        title={`Revoke ${label}?`}
        action="Revoke share"
        onConfirm={revoke}
      >
        <p class="muted">Whoever came with it gets nothing more from the next request on.</p>
      </ConfirmButton>
    </span>
  );
}
