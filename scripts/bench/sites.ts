import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { publicationOf } from "../../src/storage/contract/publication.ts";
import { recordEncodings } from "../../src/storage/contract/record-encodings.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { RivalFolders } from "./rivals.ts";
import { type BenchServer, timed } from "./test-server.ts";

/** Text of this length that compresses about as well as a page. */
export function pageOf(bytes: number, seed: string): string {
  let text = `<!doctype html><title>${seed}</title>\n`;
  for (let line = 0; text.length < bytes; line++) {
    text += `<p class="line">${Bun.hash(`${seed} ${line}`).toString(36)} of ${seed}</p>\n`;
  }
  return text.slice(0, bytes);
}

/** Creates the folder with a certificate, and `sites/bench` with a file for each case. */
export function makeFolders(): RivalFolders & { remove(): void } {
  const root = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  const [certificate, key] = [join(root, "certificate.pem"), join(root, "key.pem")];
  timed([
    ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,DNS:*.localhost,IP:127.0.0.1"],
    ...["-keyout", key, "-out", certificate],
  ]);
  const folder = join(root, "sites", "bench");
  mkdirSync(join(folder, "guide"), { recursive: true });
  // Half as many random bytes, in hexadecimal. The server does not compress that, so the plain cases measure the plain
  // file.
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  writeFileSync(join(folder, "index.html"), random(4096));
  const page = pageOf(20_000, "precompressed");
  for (const name of ["guide/index.html", "text.html"]) {
    writeFileSync(join(folder, name), page);
    writeFileSync(join(folder, `${name}.gz`), gzipSync(page, { level: 9 }));
  }
  writeFileSync(join(folder, "100k.bin"), random(65_536).toString().slice(0, 100_000));
  timed(["sh", "-c", `head -c 100000000 /dev/urandom > ${folder}/100m.bin`]);
  // The other servers run as their own users.
  timed(["chmod", "-R", "a+rX", root]);
  return { root, certificate, key, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Deploys `sites/bench` as the site `bench`. */
export function deployBench(server: BenchServer, { root }: RivalFolders): void {
  const archive = join(root, "bench.zip");
  timed(["sh", "-c", `rm -f ${archive}; zip -qr ${archive} *`], { cwd: join(root, "sites", "bench") });
  timed(server.deployCommand(archive, "bench"));
}

/** Creates and deploys `sites` sites of `files` different pages of 4 kB each. */
export function deployManySites(server: BenchServer, { root }: RivalFolders, sites: number, files: number): void {
  for (let site = 0; site < sites; site++) {
    const folder = join(root, "sites", `site-${site}`);
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < files; file++)
      writeFileSync(join(folder, `${file}.html`), pageOf(4096, `${site} ${file}`));
    const archive = join(root, "site.zip");
    timed(["sh", "-c", `rm -f ${archive}; zip -q -1 ${archive} *`], { cwd: folder });
    timed(server.deployCommand(archive, `site-${site}`));
  }
}

/** Returns the path of a file of `deployLarge`. Paths differ between deployments. */
export function largePath(deployment: number, file: number): string {
  const hash = Bun.hash(`${deployment} ${file}`).toString(16).padStart(16, "0").slice(0, 8);
  return `assets/${file % 100}/chunk-${file}.${hash}.js`;
}

/**
 * Creates the deployments of the site `large` in the store, because uploading them would take minutes. All files have
 * the same content.
 */
export async function deployLarge({ dataDir }: BenchServer, deployments: number, files: number): Promise<void> {
  const database = new Database(join(dataDir, "vitrine.db"), { readonly: true });
  const known = database
    .query<{ ownerId: number; sessionId: number; digest: string; size: number }, []>(
      `SELECT owner_id AS ownerId, sessions.id AS sessionId, digest, size
       FROM sites JOIN sessions ON user_id = owner_id, contents WHERE size = 4096 LIMIT 1`,
    )
    .get();
  database.close();
  if (!known) throw new Error("deploy the site bench first");
  const { ownerId, sessionId, digest, size } = known;
  const { store, close } = openStorage({ dataDir });
  for (let deployment = 0; deployment < deployments; deployment++) {
    const paths = Array.from({ length: files }, (_, file) => largePath(deployment, file));
    const deployed = paths.map((path) => ({ path, digest, size }));
    const facts = { siteName: "large", ownerId, sessionId, files: deployed, reused: [digest], createdAt: Date.now() };
    await store.deployments.publish(publicationOf(facts));
  }
  close();
}

/** Waits until all encodings are there, which are created in the background. */
export async function compressed({ dataDir }: BenchServer): Promise<void> {
  const database = new Database(join(dataDir, "vitrine.db"), { readonly: true });
  const waiting = database.query(
    "SELECT 1 FROM contents WHERE id NOT IN (SELECT content_id FROM encoding_claims WHERE ends_at IS NULL) LIMIT 1",
  );
  while (waiting.get() !== null) await Bun.sleep(500);
  database.close();
}

/** Marks all content as not worth compressing, because compressing 100,000 pages takes 17 minutes. */
export async function leavePlain({ dataDir }: BenchServer): Promise<void> {
  const { store, close } = openStorage({ dataDir });
  await recordEncodings(store);
  close();
}
