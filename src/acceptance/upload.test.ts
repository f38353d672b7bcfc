import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { deleteExpired } from "../domain/accounts/delete-expired.ts";
import { SESSION_IDLE_LIMIT } from "../domain/accounts/sessions.ts";
import { zipOf } from "./testing/archives.ts";
import { rawRequest } from "./testing/raw.ts";
import { serverStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

const { vitrine, ada: token } = await serverStories(() =>
  startTestServer({
    "max-archive-bytes": "100000",
    "max-site-bytes": "200000",
    "max-files": "20",
    "max-user-uploads": "2",
  }),
);
let archive: Uint8Array;

beforeAll(async () => {
  archive = await zipOf({ "index.html": "<h1>good</h1>" });
  await vitrine.deploy(token, archive, { site: "steady" });
});

const BOUNDARY = "----vitrine";

function part(name: string, content: Uint8Array | string, fileName = "site.zip"): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from("\r\n")]);
}

const END = Buffer.from(`--${BOUNDARY}--\r\n`);

function post(body: Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
  const type = `multipart/form-data; boundary=${BOUNDARY}`;
  return vitrine.call("POST", "/deploy", {
    token,
    body: Buffer.from(body),
    headers: { "Content-Type": type, "X-Service-Site": "steady", ...headers },
  });
}

function head(length: number | "chunked", extra = ""): string {
  const framing = length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  return [
    "POST /deploy HTTP/1.1",
    `Host: localhost:${vitrine.config.listen.port}`,
    `Authorization: Bearer ${token}`,
    "X-Service-Site: steady",
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
    framing,
    `${extra}\r\n`,
  ].join("\r\n");
}

/** Checks after every refusal that the site is unchanged and the spool is empty. */
async function expectNoEffects(): Promise<void> {
  expect(await (await vitrine.visit("steady")).text()).toBe("<h1>good</h1>");
  const deployments = await (await vitrine.call("GET", "/sites/steady/deployments", { token })).json();
  expect(deployments).toHaveLength(1);
  expect(readdirSync(join(vitrine.config.dataDir, "spool"))).toEqual([]);
}

describe("a body in a form that is no archive is refused without effects", () => {
  test.each([
    ["no part at all", () => Buffer.from(END), 422, ["body", "file"]],
    ["a part of another name", () => Buffer.concat([part("archive", archive), END]), 422, ["body", "file"]],
    [
      "two parts of the name",
      () => Buffer.concat([part("file", archive), part("file", archive), END]),
      422,
      ["body", "file"],
    ],
    [
      "the archive behind too many others",
      () => Buffer.concat([...Array.from({ length: 20 }, () => part("other", "")), part("file", archive), END]),
      422,
      ["body"],
    ],
    ["an empty body", () => Buffer.alloc(0), 422, ["body", "file"]],
  ] as const)("%s", async (_case, body, status, loc) => {
    const response = await post(body());
    expect(response.status).toBe(status);
    expect(((await response.json()) as { detail: { loc: string[] }[] }).detail[0]?.loc).toEqual([...loc]);
    await expectNoEffects();
  });

  test.each([
    ["application/zip", "missing"],
    ["application/json", "missing"],
    ["multipart/form-data", "multipart_invalid"],
    ["multipart/form-data; boundary=", "multipart_invalid"],
  ])("sent as %s", async (contentType, type) => {
    const response = await post(archive, { "Content-Type": contentType });
    expect(response.status).toBe(422);
    expect(((await response.json()) as { detail: { type: string }[] }).detail[0]?.type).toBe(type);
    await expectNoEffects();
  });

  test("an archive that is truncated by the end of the form", async () => {
    const response = await post(Buffer.concat([part("file", archive.subarray(0, -10)), END]));
    expect(response.status).toBe(400);
    expect(((await response.json()) as { detail: string }).detail).toStartWith("archive is invalid");
    await expectNoEffects();
  });

  test("a form that ends in the middle of the archive", async () => {
    const response = await post(part("file", archive.subarray(0, -10)));
    expect(response.status).toBe(400);
    await expectNoEffects();
  });

  test("X-Service-Access with an unknown value", async () => {
    const response = await post(Buffer.concat([part("file", archive), END]), { "X-Service-Access": "open" });
    expect(response.status).toBe(422);
    expect(((await response.json()) as { detail: { loc: string[] }[] }).detail[0]?.loc).toEqual([
      "header",
      "X-Service-Access",
    ]);
    await expectNoEffects();
  });
});

describe("over a limit is 413", () => {
  test("a declared length that is too long is refused before the body is read", async () => {
    const response = await rawRequest(vitrine.config.listen.port, [head(50_000_000)]);
    expect(response).toStartWith("HTTP/1.1 413");
    await expectNoEffects();
  });

  test("a body of unknown length is refused at the first byte above the limit, while it is arriving", async () => {
    const chunk = Buffer.alloc(50_000, "x");
    const size = chunk.length.toString(16);
    const opening = part("file", "").subarray(0, -2);
    const parts = [head("chunked"), `${opening.length.toString(16)}\r\n`, opening, "\r\n"];
    for (let round = 0; round < 4; round++) parts.push(`${size}\r\n`, chunk, "\r\n");
    // The body never ends, so a response can come only in the middle of it.
    const response = await rawRequest(vitrine.config.listen.port, parts);
    expect(response).toStartWith("HTTP/1.1 413");
    expect(response).toContain("the archive is larger than 100000 bytes");
    await expectNoEffects();
  });

  test.each([
    ["too many files", () => zipOf(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`${n}.html`, "x"])))],
    ["too much content", () => zipOf({ "zeros.bin": new Uint8Array(200_001) })],
  ])("%s", async (_case, make) => {
    const response = await vitrine.deploy(token, await make(), { site: "steady" });
    expect(response.status).toBe(413);
    expect(((await response.json()) as { detail: string }).detail).toStartWith("a deployment limit was exceeded");
    await expectNoEffects();
  });
});

test("a client that disconnects in the middle leaves nothing behind", async () => {
  const spooled = () => readdirSync(join(vitrine.config.dataDir, "spool")).length;
  const socket = connect(vitrine.config.listen.port, "127.0.0.1");
  socket.write(head(90_000));
  socket.write(part("file", archive));
  await until(() => spooled() === 1);
  socket.destroy();
  await until(() => spooled() === 0);
  await expectNoEffects();
});

/** Waits for another thread. The time limit of the test ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(5);
}

test("a slow upload succeeds: 10 kB/s with pauses longer than the listener's idle timeout", async () => {
  const body = Buffer.concat([part("file", archive), END]);
  const response = new Promise<string>((resolve, reject) => {
    const socket = connect(vitrine.config.listen.port, "127.0.0.1", async () => {
      socket.write(head(body.length, "X-Service-Access: private\r\n").replace("steady", "slow-one"));
      socket.write(body.subarray(0, 100));
      await Bun.sleep(12_000);
      socket.write(body.subarray(100));
    });
    socket.on("data", (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the connection was closed")));
  });
  expect(await response).toStartWith("HTTP/1.1 201");
});

test("the credential is checked before the body", async () => {
  const response = await vitrine.call("POST", "/deploy", {
    body: "rubbish",
    headers: { "Content-Type": "text/plain" },
  });
  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toBe("Bearer");
});

/** Deploys as the owner of the token. `act` runs when half of the body has arrived. */
async function during(act: () => Promise<unknown>, owner: string, site: string): Promise<Response> {
  const body = Buffer.concat([part("file", archive), END]);
  const acted = Promise.withResolvers<void>();
  const halves = new ReadableStream({
    async start(controller) {
      controller.enqueue(body.subarray(0, 100));
      await acted.promise;
      controller.enqueue(body.subarray(100));
      controller.close();
    },
  });
  const headers = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}`, "X-Service-Site": site };
  const response = vitrine.call("POST", "/deploy", { token: owner, body: halves, headers });
  await until(() => readdirSync(join(vitrine.config.dataDir, "spool")).length === 1);
  await act();
  acted.resolve();
  return response;
}

describe("a site that its owner deletes during an upload is created again", () => {
  test.each([
    ["public", {}],
    ["private", { access: "private" }],
  ])("as %s as it was", async (kind, options) => {
    const { token: owner } = await vitrine.signUp(`owner-of-${kind}`);
    const site = `anew-${kind}`;
    await vitrine.deploy(owner, archive, { site, ...options });
    await vitrine.deploy(owner, archive, { site });
    const response = await during(() => vitrine.call("DELETE", `/sites/${site}`, { token: owner }), owner, site);
    expect([response.status, await response.json()]).toEqual([
      201,
      expect.objectContaining({ deployment_number: 1, site_name: site, private: kind === "private" }),
    ]);
    expect((await vitrine.visit(site)).status).toBe(kind === "private" ? 401 : 200);
  });

  test("unless it was made public meanwhile: an existing site keeps its access", async () => {
    const { token: owner } = await vitrine.signUp("opener");
    await vitrine.deploy(owner, archive, { site: "opened", access: "private" });
    const open = () => vitrine.call("DELETE", "/sites/opened/access", { token: owner });
    expect(await (await during(open, owner, "opened")).json()).toMatchObject({ private: false });
  });

  test("whichever of the two finishes first", async () => {
    const { token: owner } = await vitrine.signUp("hasty");
    const site = "hasty";
    for (let round = 0; round < 5; round++) {
      await vitrine.deploy(owner, archive, { site });
      const [deployed, again, deleted] = await Promise.all([
        vitrine.deploy(owner, archive, { site }),
        vitrine.deploy(owner, archive, { site }),
        vitrine.call("DELETE", `/sites/${site}`, { token: owner }),
      ]);
      expect([deployed.status, again.status, deleted.status]).toEqual([201, 201, 204]);
    }
  });

  test("but not by a user who could not create a site of that name", async () => {
    const { token: owner, user } = await vitrine.signUp("no-maker");
    await vitrine.deploy(owner, archive, { site: "unmade" });
    await vitrine.store.users.setMayOwn(user.id, false);
    const response = await during(() => vitrine.call("DELETE", "/sites/unmade", { token: owner }), owner, "unmade");
    expect([response.status, await response.json()]).toEqual([403, refusal("unmade was deleted")]);
  });
});

function refusal(why: string) {
  return { detail: `credential cannot deploy this site: ${why} while the upload was under way` };
}

describe("a deletion during an upload stays:", () => {
  test("an account", async () => {
    const { token: owner, user } = await vitrine.signUp("heidi");
    const response = await during(() => vitrine.store.users.delete(user.id), owner, "first-try");
    expect([response.status, await response.json()]).toEqual([403, refusal("the account was removed")]);
  });

  test.each([
    ["session", "/auth/session", "the session was ended"],
    ["deployment token", "/tokens/ID", "the deployment token was revoked or its site deleted"],
    ["deployment token's site", "/sites/SITE", "the deployment token was revoked or its site deleted"],
  ])("a %s", async (what, address, why) => {
    const site = what.replaceAll(/\W/g, "-");
    const { token: owner } = await vitrine.signUp(`owner-of-${site}`);
    await vitrine.deploy(owner, archive, { site });
    const { id, token: minted } = await vitrine.mintDeploymentToken(site);
    const removed = address.replace("ID", id).replace("SITE", site);
    const used = what === "session" ? owner : minted;
    const response = await during(() => vitrine.call("DELETE", removed, { token: owner }), used, site);
    const detail = `authentication is required: ${why} while the upload was under way`;
    expect([response.status, await response.json()]).toEqual([401, { detail }]);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect((await vitrine.visit(`2--${site}`)).status).toBe(404);
  });

  test("but a session that merely expires meanwhile is accepted", async () => {
    const { token: owner } = await vitrine.signUp("ivan");
    const expire = async () => {
      vitrine.advance(SESSION_IDLE_LIMIT);
      await deleteExpired(vitrine.store, vitrine.clock.now());
    };
    expect((await during(expire, owner, "lasting")).status).toBe(201);
    expect((await vitrine.call("GET", "/auth/me", { token: owner })).status).toBe(401);
  });
});

test("the uploads in progress by one owner are limited, and a deployment waits for one to end", async () => {
  const { token: session } = await vitrine.signUp("olga");
  const { token: another } = await vitrine.signUp("paul");
  const begun = () => readdirSync(join(vitrine.config.dataDir, "spool")).length;
  const stalled = [];
  for (let n = 1; n <= 2; n++) {
    const socket = connect(vitrine.config.listen.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(head(1000).replace(token, session).replace("steady", "stalled"));
    socket.write(`--${BOUNDARY}\r\n`);
    stalled.push(socket);
    await until(() => begun() === n);
  }
  const deploy = (by: string) => vitrine.deploy(by, archive);
  const refused = await deploy(session);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
  expect(await refused.json()).toEqual({ detail: "too many uploads of this owner are under way: at most 2 at once" });
  expect((await deploy(another)).status).toBe(201);
  stalled[0]?.destroy();
  // The thread notices it a moment later.
  const statuses: number[] = [];
  while (statuses.at(-1) !== 201) statuses.push((await deploy(session)).status);
  expect(statuses.slice(0, -1).every((status) => status === 429)).toBe(true);
  stalled[1]?.destroy();
});

test("a deployment brings back a file that was lost from the disk", async () => {
  const text = "lost and found";
  const archive = await zipOf({ "index.html": text });
  const { token: owner } = await vitrine.signUp("lena");
  expect((await vitrine.deploy(owner, archive, { site: "lossy" })).status).toBe(201);
  const digest = Bun.CryptoHasher.hash("sha256", text, "hex");
  const file = join(vitrine.config.dataDir, "content", digest.slice(0, 2), digest);
  rmSync(file);
  expect((await vitrine.deploy(owner, archive, { site: "lossy" })).status).toBe(201);
  expect(readFileSync(file, "utf8")).toBe(text);
});
