import { SQL } from "bun";
import { s3Objects } from "../../../src/clients/s3/objects.ts";
import type { Ceph } from "../../../src/clients/s3/testing/ceph.ts";
import type { S3Destination } from "../../../src/domain/backups/destination.ts";
import type { Violation } from "./violation.ts";

interface Bucket {
  readonly ceph: Ceph;
  readonly destination: S3Destination;
  /** The address of the database. */
  readonly database: string;
}

/** Enough for several rounds of collection in the build with short graces. */
const PATIENCE_MS = 120_000;
const INTERVAL_MS = 5000;

/** Waits until the bucket holds exactly the content that deployments refer to. Returns what is wrong with it otherwise. */
export async function findLeftovers(bucket: Bucket): Promise<readonly Violation[]> {
  const deadline = performance.now() + PATIENCE_MS;
  const server = new SQL(bucket.database);
  for (;;) {
    const differences = await compare(server, bucket);
    if (differences.length === 0 || performance.now() > deadline) {
      await server.close();
      return differences.map((detail) => ({ kind: "wrong bucket", at: performance.now(), detail }));
    }
    await Bun.sleep(INTERVAL_MS);
  }
}

// --- internal ---

async function compare(server: SQL, { ceph, destination }: Bucket): Promise<readonly string[]> {
  const stored = new Set<string>();
  for await (const { name } of s3Objects(destination, ceph.keys).list("content/")) stored.add(name);
  const known = await namesIn(server`SELECT name FROM content_objects`);
  const filled = await namesIn(
    server`SELECT name FROM content_objects o WHERE EXISTS (SELECT FROM content_locations l WHERE l.object_id = o.id)`,
  );
  const referenced = await namesIn(
    server`SELECT digest AS name FROM contents WHERE id IN (SELECT content_id FROM deployment_contents)
      UNION SELECT e.digest FROM encodings e WHERE e.content_id IN (SELECT content_id FROM deployment_contents)`,
  );
  const placed = await namesIn(server`SELECT digest AS name FROM content_locations`);
  return [
    ...missingFrom(known, stored).map((name) => `${name} is in the bucket, and the database does not know it`),
    ...missingFrom(stored, filled).map((name) => `${name} holds content, and is not in the bucket`),
    ...missingFrom(filled, stored).map((name) => `${name} is in the bucket, and holds nothing`),
    ...missingFrom(placed, referenced).map((digest) => `a deployment refers to ${digest}, which is nowhere`),
    ...missingFrom(referenced, placed).map((digest) => `${digest} is stored, and no deployment refers to it`),
  ];
}

async function namesIn(query: Promise<readonly { readonly name: string }[]>): Promise<ReadonlySet<string>> {
  return new Set((await query).map(({ name }) => name));
}

/** Returns those of `names` that are not in `all`. */
function missingFrom(all: ReadonlySet<string>, names: ReadonlySet<string>): readonly string[] {
  return [...names.difference(all)];
}
