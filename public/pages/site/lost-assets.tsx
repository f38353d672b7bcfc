import type { JSX } from "preact";
import { may } from "../../../src/domain/model/role.ts";
import { mayBeFingerprinted } from "../../../src/serving/fingerprint.ts";
import type { Analytics, Site } from "../../api/types.ts";
import { count, formatNumber } from "../../format.ts";
import { Ago } from "../../parts/basics.tsx";
import { Card } from "../../parts/card.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { settingsPath } from "../../router.ts";
import { detailsPath } from "./deployments/resources.ts";

type LostAsset = Analytics["lost_assets"][number];

/** Files that visitors asked for and did not get, and whether a longer grace period would have answered. */
export function LostAssets({ data, site }: { data: Analytics; site: Site }): JSX.Element | null {
  const lost = data.lost_assets;
  if (lost.length === 0) return null;
  const isTooShort = lost.some(wouldBeAnswered);
  return (
    <Card
      title="Lost assets"
      {...(isTooShort && {
        foot: (
          <span>
            A longer grace period would have answered where it was too short.{" "}
            {may(site.role, "manage_retention") && (
              <a href={settingsPath(site.name, "retention")}>Set the grace period</a>
            )}
          </span>
        ),
      })}
    >
      <Table
        label="Lost assets"
        class="compact as-list lost-assets"
        columns={columnsOf(site.name)}
        rows={lost}
        keyOf={({ path }) => path}
      />
    </Card>
  );
}

/** Only files with a hash in their name are served from former deployments. */
function wouldBeAnswered({ path, deployment_number }: LostAsset): boolean {
  return deployment_number !== null && mayBeFingerprinted(path);
}

function columnsOf(site: string): readonly Column<LostAsset>[] {
  return [
    { key: "path", head: "File", isName: true, cell: ({ path }) => <code class="cut">{path}</code> },
    { key: "hits", head: "Requests", class: "num", cell: ({ hits }) => <Requests hits={hits} /> },
    { key: "last", head: "Last", cell: ({ last_at }) => <Ago at={last_at} /> },
    { key: "had", head: "Last had by", cell: (asset) => <LastDeployment site={site} asset={asset} /> },
  ];
}

function Requests({ hits }: { hits: number }): JSX.Element {
  return (
    <>
      <span class="wide-only">{formatNumber(hits)}</span>
      <span class="phone-only">{count(hits, "request")}</span>
    </>
  );
}

function LastDeployment({ site, asset }: { site: string; asset: LostAsset }): JSX.Element {
  const { deployment_number: number } = asset;
  if (number === null) return <span class="faint">No deployment</span>;
  return (
    <>
      <a href={detailsPath(site, number)}>#{number}</a>
      {wouldBeAnswered(asset) && <span class="warn"> grace period too short</span>}
    </>
  );
}
