import { FACTS_VERSION, type FileOutline } from "../model/file-facts.ts";
import type { Manifest, ManifestFile } from "../model/manifest.ts";
import type { Finding, MadeReport } from "../model/report.ts";
import type { Store } from "../ports/store.ts";
import type { Secrets } from "../ports/system.ts";
import type { ReadableFile } from "./facts-of-files.ts";
import type { OwnHosts } from "./own-hosts.ts";

/** The settings of the server that findings depend on. */
export interface ServerFacts extends Pick<OwnHosts, "sitesDomain" | "isSecure"> {
  readonly maxUrlLength: number;
}

/** The report of an earlier deployment of the site. */
export interface FormerReport {
  readonly deploymentId: number;
  readonly report: MadeReport;
}

/** The files that need not be judged again, by path. */
interface Unchanged {
  readonly files: ReadonlySet<string>;
  readonly findings: readonly Finding[];
  readonly notChecked: number;
}

interface BasisPorts {
  readonly secrets: Pick<Secrets, "sha256">;
  readonly server: ServerFacts;
}

interface BasisFacts {
  readonly manifest: Pick<Manifest, "redirects">;
  readonly hosts: OwnHosts;
  readonly served: readonly ManifestFile[];
  readonly outlines: ReadonlyMap<string, FileOutline>;
}

/**
 * Returns a hash of all that the findings of a file depend on besides its content: the rules, the hosts, the paths of
 * all files, and the places in all pages.
 */
export function basisOf({ secrets, server }: BasisPorts, { manifest, hosts, served, outlines }: BasisFacts): string {
  const domains = [...hosts.domains].sort();
  const start = secrets.sha256(JSON.stringify([FACTS_VERSION, server, hosts.siteName, domains, manifest.redirects]));
  return served.reduce((hash, { path }) => {
    const anchors = outlines.get(path)?.anchors ?? null;
    const bytes = anchors && new Uint8Array(anchors.buffer, anchors.byteOffset, anchors.byteLength);
    return secrets.sha256(`${hash} ${path} ${bytes?.toBase64() ?? "-"}`);
  }, start);
}

/** Returns what a former report with the same basis says about the files that are the same. */
export async function findUnchanged(
  { deployments }: Pick<Store, "deployments">,
  former: FormerReport | null,
  { basis, readable }: { readonly basis: string; readonly readable: readonly ReadableFile[] },
): Promise<Unchanged> {
  if (former?.report.basis !== basis) return NOTHING;
  const manifest = await deployments.manifest(former.deploymentId);
  const digests = new Map(manifest?.files.map(({ path, digest }) => [path, digest]));
  const same = readable.filter(({ file }) => digests.get(file.path) === file.digest);
  const files = new Set(same.map(({ file }) => file.path));
  const findings = former.report.findings.filter(({ file }) => files.has(file));
  return { files, findings, notChecked: findings.filter(({ code }) => code === "not_checked").length };
}

// --- internal ---

const NOTHING: Unchanged = { files: new Set(), findings: [], notChecked: 0 };
