import { expect, spyOn } from "bun:test";
import { connect } from "node:net";
import { SQL } from "bun";
import { unlessUnavailable } from "../domain/errors.ts";
import type { NodeDirectory } from "../domain/ports/store/nodes.ts";
import { makeDatabase } from "../storage/postgres/testing/make-database.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { type ObjectServer, startObjectServer } from "./testing/object-server.ts";
import { openTcpLink, type TcpLink } from "./testing/tcp-link.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

// Two nodes with one PostgreSQL database. Real S3 servers are in s3.test.ts.
const { afterAll, beforeAll, test } = needing("postgres");

const KEYS = { "s3-access-key-id": "test", "s3-secret-access-key": "test", "drain-delay": "off" };

let bucket: ObjectServer;
let link: TcpLink;
let database: string;
let one: TestServer;
let two: TestServer;
let token: string;
let shareToken: string;
beforeAll(async () => {
  bucket = startObjectServer();
  database = await makeDatabase();
  link = openTcpLink(Number(new URL(database).port));
  // At the same time, as an orchestrator does it.
  [one, two] = await Promise.all([
    startNode({ "node-name": "one" }),
    // The time in which a story visits the node while it drains.
    startNode({ "node-name": "two", "drain-delay": "10s" }),
  ]);
  for (const node of [one, two]) await until(200, () => node.call("GET", "/ready"));
  ({ token } = await one.signUp("ada"));
});
afterAll(async () => {
  await Promise.all([one, two].map((node) => node?.[Symbol.asyncDispose]()));
  link?.stop();
  bucket?.[Symbol.dispose]();
});

const startNode = (flags: Record<string, string>) =>
  startTestServer({
    database: through(link),
    content: bucket.address("shared"),
    ...KEYS,
    ...flags,
  });

/** The database's URL over a line that can be cut. */
function through({ port }: TcpLink): string {
  const url = new URL(database);
  url.port = String(port);
  return url.href;
}

// On a busy machine, a node may be unable to renew its lease for a moment. Until it can, it answers 503 to changes and to
// visits of content that it does not have, never shows what was before, and its store is unavailable.

/** Returns the number of the deployment. One that was answered 503 may have been made as well. */
async function publish(node: TestServer, site: string, text: string): Promise<number> {
  const archive = await zipOf({ "index.html": text });
  const made = await until(201, () => node.deploy(token, archive, { site }));
  return ((await made.json()) as { deployment_number: number }).deployment_number;
}

const shown = async (node: TestServer, site: string) => (await until(200, () => node.visit(site))).text();

const visitSecret = (node: TestServer) =>
  node.visit("secret", "/", { headers: { authorization: `Bearer ${shareToken}` } });

/** Asks until the response has the status. It may be 503 before, or 200 if it is to become 503. */
async function until(status: number, ask: () => Promise<Response>): Promise<Response> {
  for (let response = await ask(); ; response = await ask()) {
    if (response.status === status) return response;
    expect(response.status).toBe(status === 503 ? 200 : 503);
    await Bun.sleep(20);
  }
}

test("what is published or activated on one node, the next visit to the other shows", async () => {
  let latest = 0;
  for (let count = 1; count <= 2; count++) {
    latest = await publish(one, "news", `${count} from one`);
    expect(await shown(two, "news")).toBe(`${count} from one`);
    await publish(two, "news", `${count} from two`);
    expect(await shown(one, "news")).toBe(`${count} from two`);
  }
  await until(200, () => one.call("POST", `/sites/news/deployments/${latest}/activate`, { token }));
  expect(await shown(two, "news")).toBe("2 from one");
});

test("all sessions of a node at the database have its own name", async () => {
  const sql = new SQL(database, { max: 1 });
  const sessions = sql`
    SELECT DISTINCT application_name AS name FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const names = (await sessions).map(({ name }: { name: string }) => name);
  expect(names).toEqual([
    expect.stringMatching(/^vitrine [-0-9a-f]{36}$/),
    expect.stringMatching(/^vitrine [-0-9a-f]{36}$/),
  ]);
  await sql.close();
});

test("a session and the access to a private site are valid on every node", async () => {
  const archive = await zipOf({ "index.html": "for readers" });
  await until(201, () => one.deploy(token, archive, { site: "secret", access: "private" }));
  const me = await until(200, () => two.call("GET", "/auth/me", { token }));
  expect(await me.json()).toMatchObject({ login: "ada" });
  const json = { label: "A test", kind: "automation" };
  const share = await until(201, () => two.call("POST", "/sites/secret/shares", { token, json }));
  ({ secret: shareToken } = (await share.json()) as { secret: string });
  await until(401, () => two.visit("secret"));
  for (const node of [one, two]) {
    expect(await (await until(200, () => visitSecret(node))).text()).toBe("for readers");
  }
});

test("without the database, public sites are served, changes and private sites wait, and nodes recover without a restart", async () => {
  await publish(one, "steady", "before");
  expect(await shown(two, "steady")).toBe("before");
  await publish(one, "unseen", "never visited before");
  link.state = "cut";
  for (const node of [one, two]) {
    expect(await (await until(503, () => node.call("GET", "/ready"))).json()).toEqual({
      status: "isolated",
      detail: "this node has no connection to the database",
    });
  }
  expect(await (await two.call("GET", "/health")).json()).toEqual({ status: "ok" });
  expect(await shown(two, "steady")).toBe("before");
  expect(await shown(two, "unseen")).toBe("never visited before");
  const refusals = [
    await visitSecret(two),
    await two.deploy(token, await zipOf({ "index.html": "lost" }), { site: "steady" }),
    await two.call("GET", "/sites", { token }),
  ];
  expect(refusals.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual(
    refusals.map(() => [503, "5"]),
  );
  link.state = "up";
  for (const node of [one, two]) await until(200, () => node.call("GET", "/ready"));
  await publish(one, "steady", "after");
  expect(await shown(two, "steady")).toBe("after");
});

test("a node whose clock is an hour off goes by the clock of the database", async () => {
  const { now } = Date;
  const differs = () => Math.abs(one.clock.now() - now()) > 1000;
  {
    using _ = spyOn(Date, "now").mockImplementation(() => now() - 60 * 60_000);
    expect(differs()).toBe(true);
    while (differs()) await Bun.sleep(20);
  }
  while (differs()) await Bun.sleep(20);
});

test.each([
  ["a wrong port", () => database.replace(/:\d+\//, ":1/"), {}, "PostgreSQL at 127.0.0.1:1 cannot be used"],
  ["no such database", () => `${database}x`, {}, "does not exist: create it"],
  ["another bucket", () => database, { content: "other" }, "has nothing of the content"],
  ["content in its folder", () => database, {}, "is in"],
])("a node with %s does not start", async (_, url, { content }: { content?: string }, why) => {
  const flags = content ? { ...KEYS, content: bucket.address(content) } : {};
  await expect(startTestServer({ database: url(), ...flags })).rejects.toThrow(why);
});

test("a draining node is not ready, closes its connections, and leaves", async () => {
  const nodes = one.store.nodes as NodeDirectory;
  // Without the lease of either node, the request is refused.
  while ((await unlessUnavailable(nodes.requestDrain("two"), "unknown")) !== "requested") await Bun.sleep(20);
  await two.drainRequested;
  const stopped = two.stop();
  const readiness = async () => (await two.call("GET", "/ready")).json() as Promise<{ status: string }>;
  while ((await readiness()).status !== "draining") await Bun.sleep(20);
  expect((await two.call("GET", "/ready")).status).toBe(503);
  const socket = connect(two.config.listen.port, "127.0.0.1");
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  let response = "";
  socket.on("data", (data) => {
    response += data;
  });
  socket.write("GET / HTTP/1.1\r\nHost: news.localhost\r\n\r\n");
  await closed;
  expect(response).toStartWith("HTTP/1.1 200");
  expect(response.toLowerCase()).toContain("connection: close");
  await stopped;
  const listed = () => unlessUnavailable(nodes.list(), null);
  let left = await listed();
  for (; left === null; left = await listed()) await Bun.sleep(20);
  expect(left.map(({ name }) => name)).toEqual(["one"]);
});

test("a node starts without the database with what it knew, and joins once the database is back", async () => {
  link.state = "cut";
  await using again = await startNode({ "node-name": "two", "data-dir": two.config.dataDir });
  expect(await (await again.call("GET", "/ready")).json()).toMatchObject({ status: "isolated" });
  expect(await shown(again, "steady")).toBe("after");
  link.state = "up";
  for (const node of [one, again]) await until(200, () => node.call("GET", "/ready"));
  await publish(one, "steady", "later");
  expect(await shown(again, "steady")).toBe("later");
});
