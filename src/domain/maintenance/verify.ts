import { invalidDigest, isDigest } from "../deployments/digest.ts";
import { inBatches } from "../in-batches.ts";
import type { ContentHash, ContentStore } from "../ports/content.ts";
import type { DeploymentRef } from "../ports/store/deployments.ts";
import type { Store } from "../ports/store.ts";

interface VerifyPorts {
  readonly store: Pick<Store, "contents" | "deployments" | "checkIntegrity">;
  readonly content: Pick<ContentStore, "hash" | "list">;
}

export interface Problem {
  readonly kind:
    | "database"
    | "digest_invalid"
    | "content_missing"
    | "content_damaged"
    | "manifest_damaged"
    | "manifest_incomplete";
  /** The digest, or the deployment as `site#number`, or the table. */
  readonly subject: string;
  readonly detail: string;
  /** For content: the newest affected files, such as `demo#3: /index.html`, and their total number. */
  readonly files?: readonly string[];
  readonly needed?: number;
}

/** Files listed per content: enough to inform their owners, but few if a whole disk is lost. */
const NAMED_FILES = 5;

/** The files that need damaged content, by digest. */
type Lacking = Map<string, { readonly files: string[]; needed: number }>;

export interface Verification {
  readonly problems: readonly Problem[];
  readonly contents: number;
  readonly bytes: number;
  readonly deployments: number;
  /** Content of failed or running uploads, and condemned content. It is no problem; the sweep deletes it. */
  readonly leftovers: number;
}

/**
 * Checks all stored data: the structure of the database, every content against its digest, every manifest
 * against its contents. Read-only, and may run while the server runs. Calls `progress` with the number
 * of checked contents.
 */
export async function verify(
  ports: VerifyPorts,
  progress: (contents: number) => void = () => {},
): Promise<Verification> {
  const damage = await ports.store.checkIntegrity();
  const database = damage.map((detail): Problem => ({ kind: "database", subject: "database", detail }));
  try {
    const found = await verifyContents(ports, progress);
    return { ...found, problems: [...database, ...found.problems] };
  } catch (error) {
    // A damaged database may contain unreadable rows.
    if (database.length === 0) throw error;
    return { problems: database, contents: 0, bytes: 0, deployments: 0, leftovers: 0 };
  }
}

async function verifyContents(ports: VerifyPorts, progress: (contents: number) => void): Promise<Verification> {
  const problems: Problem[] = [];
  const lacking: Lacking = new Map();
  let contents = 0;
  let bytes = 0;
  for await (const { digest, size } of ports.store.contents.list()) {
    const problem = await verifyContent(ports, digest, size);
    if (problem) {
      problems.push(problem);
      lacking.set(digest, { files: [], needed: 0 });
    }
    contents++;
    bytes += size;
    progress(contents);
  }
  let deployments = 0;
  for await (const deployment of ports.store.deployments.all()) {
    problems.push(...(await verifyManifest(ports, deployment, lacking)));
    deployments++;
  }
  const explained = problems.map((problem) => ({ ...problem, ...lacking.get(problem.subject) }));
  return { problems: explained, contents, bytes, deployments, leftovers: await countLeftovers(ports) };
}

/** Content may be swept between reading its row and its file, so a missing file counts only if the row still exists. */
async function verifyContent({ store, content }: VerifyPorts, digest: string, size: number): Promise<Problem | null> {
  if (!isDigest(digest)) {
    return { kind: "digest_invalid", subject: digest, detail: `the database names content ${invalidDigest(digest)}` };
  }
  const found = await content.hash(digest);
  if (found?.digest === digest && found.size === size) return null;
  if (!(await isKept(store, digest))) return null;
  if (!found) return { kind: "content_missing", subject: digest, detail: `there is no content ${digest}` };
  return { kind: "content_damaged", subject: digest, detail: damage(found, digest, size) };
}

function damage(found: ContentHash, digest: string, size: number): string {
  if (found.size !== size) return `content ${digest} has ${found.size} bytes instead of ${size}`;
  return `content ${digest} has other bytes than were stored: its SHA-256 is ${found.digest}`;
}

async function verifyManifest({ store }: VerifyPorts, deployment: DeploymentRef, lacking: Lacking): Promise<Problem[]> {
  const subject = `${deployment.siteName}#${deployment.number}`;
  const manifest = await store.deployments.manifest(deployment.id).catch((error: unknown) => error as Error);
  // The deployment may have been deleted meanwhile.
  const gone = async () => (await store.deployments.find(deployment.siteId, deployment.number)) === null;
  if (manifest === null || manifest instanceof Error) {
    const detail = manifest ? `cannot be read: ${manifest.message}` : "is missing";
    return (await gone())
      ? []
      : [{ kind: "manifest_damaged", subject, detail: `the manifest of ${subject} ${detail}` }];
  }
  for (const { path, digest } of manifest.files) noteNeed(lacking, digest, `${subject}: /${path}`);
  const kept = await keptAmong(store, [...new Set(manifest.files.map(({ digest }) => digest))]);
  const unknown = manifest.files.filter((file) => !kept.has(file.digest));
  if (unknown.length === 0 || (await gone())) return [];
  return unknown.map(({ path, digest }) => ({
    kind: "manifest_incomplete",
    subject,
    detail: `${subject} names ${path}, whose content ${digest} is not kept`,
  }));
}

/** Records that a deployment needs the content. Deployments are in creation order. */
function noteNeed(lacking: Lacking, digest: string, file: string): void {
  const need = lacking.get(digest);
  if (!need) return;
  need.files.unshift(file);
  need.files.splice(NAMED_FILES);
  need.needed++;
}

async function countLeftovers({ store, content }: VerifyPorts): Promise<number> {
  let leftovers = 0;
  for await (const listed of inBatches(content.list(), LOOKUP_BATCH)) {
    const some = listed.map(({ digest }) => digest);
    const condemned = [...(await store.contents.find(some)).values()].filter((found) => found.condemnedAt !== null);
    leftovers += condemned.length + (await store.contents.unknown(some)).length;
  }
  return leftovers;
}

async function isKept(store: VerifyPorts["store"], digest: string): Promise<boolean> {
  return (await keptAmong(store, [digest])).has(digest);
}

/** Maximum digests per query. */
const LOOKUP_BATCH = 1000;

async function keptAmong({ contents }: VerifyPorts["store"], digests: readonly string[]): Promise<Set<string>> {
  const kept = new Set<string>();
  for await (const some of inBatches(digests, LOOKUP_BATCH)) {
    const found = await contents.find(some);
    for (const [digest, { condemnedAt }] of found) if (condemnedAt === null) kept.add(digest);
  }
  return kept;
}
