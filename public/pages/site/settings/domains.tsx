import type { JSX } from "preact";
import { whyClosed } from "../../../../src/domain/claims/why-closed.ts";
import { call } from "../../../api/client.ts";
import { useResource } from "../../../api/resource.ts";
import type { DomainCapability, DomainClaim, Site } from "../../../api/types.ts";
import { sentence } from "../../../format.ts";
import { EmptyFace, Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { LineForm } from "../../../parts/line-form.tsx";
import { keyOf } from "../../../parts/of-site.ts";
import { isOpen } from "./claim-steps.ts";
import { ClaimCard, EndedClaim } from "./domain-claim.tsx";

export function DomainsTab({ site }: { site: Site }): JSX.Element {
  const capability = useResource<DomainCapability>("/capabilities/custom-domains");
  return (
    <section class="section">
      <div class="section-head">
        <h2>Custom domains</h2>
        <p class="muted small">Domains of your own that show this site, and the records that they need.</p>
      </div>
      <Loaded resource={capability} what="custom domains" skeleton={<SkeletonRows rows={3} />}>
        {(able) => <Claims site={site.name} capability={able} />}
      </Loaded>
    </section>
  );
}

function Claims({ site, capability }: { site: string; capability: DomainCapability }): JSX.Element {
  const claims = useResource<DomainClaim[]>(`/sites/${site}/domains`);
  const add = (claim: DomainClaim) => claims.set((all) => [claim, ...all.filter(({ id }) => id !== claim.id)]);
  // A check that was running when a claim ended does not know about it.
  const replace = (claim: DomainClaim) =>
    claims.set((all) => all.map((known) => (known.id === claim.id && isOpen(known) ? claim : known)));
  const remove = (id: number) => {
    claims.set((all) => all.filter((claim) => claim.id !== id));
    // The list is reloaded with the ended claim.
    void claims.reload();
  };
  return (
    <>
      {capability.status === "ready" ? (
        <AddDomain site={site} added={add} />
      ) : (
        <p class="notice">{sentence(whyClosed(capability.status, capability.routing_enabled))}.</p>
      )}
      <Loaded resource={claims} what="the domains" skeleton={<SkeletonRows rows={3} />}>
        {(all) => (
          <>
            {all.filter(isOpen).map((claim) => (
              <ClaimCard
                key={claim.id}
                site={site}
                claim={claim}
                capability={capability}
                changed={replace}
                removed={() => remove(claim.id)}
              />
            ))}
            {capability.status === "ready" && !all.some(isOpen) && <NoDomain />}
            <Ended claims={all.filter((claim) => !isOpen(claim))} />
          </>
        )}
      </Loaded>
    </>
  );
}

function NoDomain(): JSX.Element {
  return (
    <div class="card">
      <EmptyFace icon="globe" title="No custom domains yet">
        <p>Add a domain that you have registered to use it for this site.</p>
      </EmptyFace>
    </div>
  );
}

function AddDomain({ site, added }: { site: string; added: (claim: DomainClaim) => void }): JSX.Element {
  return (
    <LineForm
      label="Domain"
      action="Add domain"
      kept={keyOf(site, "hostname")}
      placeholder="www.example.org"
      required
      maxLength={300}
      submit={async (hostname) => added(await call<DomainClaim>("POST", `/sites/${site}/domains`, { hostname }))}
    />
  );
}

function Ended({ claims }: { claims: readonly DomainClaim[] }): JSX.Element | null {
  if (claims.length === 0) return null;
  return (
    <details class="section">
      <summary class="muted small">Inactive domains ({claims.length})</summary>
      <ul class="card list">
        {claims.map((claim) => (
          <EndedClaim key={claim.id} claim={claim} />
        ))}
      </ul>
    </details>
  );
}
