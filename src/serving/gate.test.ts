import { beforeEach, describe, expect, test } from "bun:test";
import { systemSecrets } from "../clients/system/secrets.ts";
import { grantVisit, readVisitRequest } from "../domain/access/visit.ts";
import { STANDARD_RATES } from "../domain/limits/rate-limit.ts";
import type { SessionCaller } from "../domain/model/caller.ts";
import type { Site } from "../domain/model/site.ts";
import type { User } from "../domain/model/user.ts";
import type { Store } from "../domain/ports/store.ts";
import { passwordTurns } from "../domain/shares/enter.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../domain/timestamp.ts";
import { newSecret } from "../domain/tokens/secret.ts";
import { addPerson, addSession, addSite } from "../storage/contract/people.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import { makeGate } from "./gate.ts";

const BASE = "https://vitrine.test";
const HOST = "diary.vitrine.test";
const page = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

let store: Store;
let now: number;
let bob: User;
let site: Site;
let caller: SessionCaller;

beforeEach(async () => {
  store = temporaryStore();
  now = 1000;
  const owner = await addPerson(store, "alice");
  bob = await addPerson(store, "bob");
  site = await addSite(store, "diary", owner.id, true);
  await store.readers.add(site.id, bob, 0);
  caller = {
    kind: "session",
    user: bob,
    sessionId: await addSession(store, bob.id, 90 * DAY, 30 * DAY),
    at: 0,
    signedInAt: null,
  };
});

const passwords = { verify: async (password: string, hash: string | null) => hash === `hash of ${password}` };
const ports = () => ({
  store,
  secrets: systemSecrets,
  clock: { now: () => now },
  passwords,
  passwordTurns: passwordTurns(),
  rates: STANDARD_RATES,
});

function check(
  path: string,
  headers: Record<string, string> = {},
  host = HOST,
  siteId = site.id,
  method = "GET",
  target = "",
) {
  const request = new Request(`https://${host}${path}`, { method, headers });
  const route = { host, siteId, private: true, target };
  return makeGate(ports(), BASE).check(request, route, { address: "203.0.113.9" });
}

/** Requests a page. Returns the state cookie and the request that the base URL gets. */
async function begin(path = "/notes/?day=1") {
  const response = await check(path, page);
  const location = new URL(response?.headers.get("location") ?? "");
  const [cookie = ""] = (response?.headers.getSetCookie()[0] ?? "").split(";");
  return { response, location, cookie, wanted: readVisitRequest(location.searchParams) };
}

/** Signs in at the base URL. Returns the state cookie, and where the code is redeemed. */
async function granted() {
  const { cookie, wanted } = await begin();
  return { cookie, entrance: `/.vitrine/enter?code=${await grantVisit(ports(), caller, site.id, wanted)}` };
}

/** Completes all steps. Returns the visit's cookie. */
async function visit(): Promise<string> {
  const { cookie, entrance } = await granted();
  const response = await check(entrance, { ...page, cookie });
  expect(response?.status).toBe(303);
  return (response?.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
}

describe("a stranger", () => {
  test("who opens a page is redirected to the base URL with the page and a state", async () => {
    const { response, location, wanted } = await begin();
    expect(response?.status).toBe(302);
    expect(location.origin + location.pathname).toBe(`${BASE}/visit`);
    expect(wanted).toMatchObject({ host: HOST, path: "/notes/?day=1" });
    expect(response?.headers.get("cache-control")).toBe("private, no-store");
    expect(response?.headers.get("vary")).toBe("Cookie");
    expect(response?.headers.getSetCookie()[0]).toMatch(
      /^__Host-vitrine-state=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=900$/,
    );
  });

  test("sends only the hash of the state", async () => {
    const { cookie, location } = await begin();
    expect(location.href).not.toContain(cookie.split("=")[1] ?? "");
  });

  test("keeps one state for several tabs", async () => {
    const { cookie, wanted } = await begin();
    const second = await check("/other", { ...page, cookie });
    expect(second?.headers.get("location")).toContain(wanted.stateHash);
  });

  const image = { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };
  test.each<[string, Record<string, string>, string, number]>([
    ["an image", image, "GET", 401],
    ["a script's fetch", { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", accept: "text/html" }, "GET", 401],
    ["a frame", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }, "GET", 401],
    ["a form", page, "POST", 401],
    ["a program", { accept: "*/*" }, "GET", 401],
    ["an old browser", { accept: "text/html,*/*;q=0.8" }, "GET", 302],
    ["a browser's HEAD", page, "HEAD", 302],
  ])("with %s", async (_what, headers, method, status) => {
    const response = await check("/", headers, HOST, site.id, method);
    expect(response?.status).toBe(status);
    expect(response?.headers.get("cache-control")).toBe("private, no-store");
    expect(response?.headers.get("x-content-type-options")).toBe("nosniff");
    // A reader's response has it too: a page of another origin cannot tell one from the other.
    expect(response?.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    if (status === 401) expect(response?.headers.get("location")).toBeNull();
  });

  test("cannot make the gate redirect to another host", async () => {
    for (const path of ["//evil.example/", "/\\evil.example", `/${"x".repeat(5000)}`]) {
      const response = await check(path, page);
      const location = new URL(response?.headers.get("location") ?? "");
      expect(location.origin).toBe(BASE);
      expect(location.searchParams.get("path")).toBe("/");
    }
  });
});

describe("the callback", () => {
  test("opens the requested page, with a cookie for this host only", async () => {
    const { cookie, entrance } = await granted();
    const response = await check(entrance, { ...page, cookie });
    expect(response?.headers.get("location")).toBe("/notes/?day=1");
    expect(response?.headers.getSetCookie()[0]).toMatch(
      /^__Host-vitrine-visit=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200$/,
    );
    expect(response?.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("refuses a used code", async () => {
    const { cookie, entrance } = await granted();
    await check(entrance, { ...page, cookie });
    expect((await check(entrance, { ...page, cookie }))?.status).toBe(400);
  });

  test("refuses a code after 60 seconds", async () => {
    const { cookie, entrance } = await granted();
    now += 60 * SECOND;
    expect((await check(entrance, { ...page, cookie }))?.status).toBe(400);
  });

  test("refuses another browser, even with the user's own code", async () => {
    const { wanted } = await begin();
    for (const cookie of ["", `__Host-vitrine-state=${"a".repeat(43)}`, "__Host-vitrine-state=a b"]) {
      const code = await grantVisit(ports(), caller, site.id, wanted);
      expect((await check(`/.vitrine/enter?code=${code}`, { ...page, cookie }))?.status).toBe(400);
    }
  });

  test("refuses a state cookie that was sent twice", async () => {
    const { cookie, entrance } = await granted();
    const doubled = `${cookie}; ${cookie}`;
    expect((await check(entrance, { ...page, cookie: doubled }))?.status).toBe(400);
  });

  test("refuses another host of the same site, and another site", async () => {
    const other = await addSite(store, "other", site.ownerId, true);
    const { cookie, wanted } = await begin();
    for (const [host, siteId] of [
      [`1--${HOST}`, site.id],
      [HOST, other.id],
    ] as const) {
      const code = await grantVisit(ports(), caller, site.id, wanted);
      expect((await check(`/.vitrine/enter?code=${code}`, { ...page, cookie }, host, siteId))?.status).toBe(400);
    }
  });

  test("refuses malformed values", async () => {
    const { cookie } = await begin();
    for (const query of ["?code=", "?code=%00", `?code=${"x".repeat(3000)}`]) {
      expect((await check(`/.vitrine/enter${query}`, { ...page, cookie }))?.status).toBe(400);
    }
  });

  test("shows errors on a normal page with a link back", async () => {
    const response = await check("/.vitrine/enter?code=bad", page);
    expect(response?.headers.get("content-security-policy")).toContain("style-src 'sha256-");
    expect(await response?.text()).toMatch(/<style>.*<h1>Sign-in failed<.*<a href="\/">Open the site again</s);
  });

  test("issues no code to a user without access, nor for a site that does not exist", async () => {
    const { wanted } = await begin();
    const carol = { ...caller, user: await addPerson(store, "carol") };
    expect(await grantVisit(ports(), carol, site.id, wanted)).toBeNull();
    expect(await grantVisit(ports(), caller, null, wanted)).toBeNull();
  });

  test.each([
    ["another host", { path: "//evil.example" }],
    ["another host by a backslash", { path: "/\\evil.example" }],
    ["no path", { path: "evil" }],
    ["a header", { path: "/\r\nSet-Cookie: x" }],
    ["a host that is none", { host: "a/b" }],
    ["a state that is none", { state: "x" }],
  ])("does not redirect to %s", (_what, change) => {
    const query = new URLSearchParams({ host: HOST, path: "/", state: "a".repeat(64), ...change });
    expect(() => readVisitRequest(query)).toThrow("this sign-in link is invalid");
  });
});

describe("a visit", () => {
  test("is accepted with every request", async () => {
    const cookie = await visit();
    expect(await check("/notes/", { ...page, cookie })).toBeNull();
    expect(await check("/image.png", { cookie }, HOST, site.id, "HEAD")).toBeNull();
  });

  test("is invalid on another host, or for another site", async () => {
    const cookie = await visit();
    expect((await check("/", { cookie }, `1--${HOST}`))?.status).toBe(401);
    expect((await check("/", { cookie }, HOST, site.id + 1))?.status).toBe(401);
  });

  test("ends with the first request after the reader was removed, and clears the site's storage", async () => {
    const cookie = await visit();
    const [reader] = await store.readers.list(site.id);
    await store.readers.delete(site.id, reader?.id ?? 0);
    const response = await check("/", { ...page, cookie });
    expect(response?.status).toBe(302);
    expect(response?.headers.get("clear-site-data")).toBe('"cache", "storage"');
  });

  test("ends when the user signs out", async () => {
    const cookie = await visit();
    await store.sessions.revoke(caller.sessionId, bob.id);
    expect((await check("/", { cookie }))?.status).toBe(401);
  });

  test("ends after twelve hours, and the site's storage stays", async () => {
    const cookie = await visit();
    now += 12 * HOUR;
    const response = await check("/", { cookie });
    expect(response?.status).toBe(401);
    expect(response?.headers.get("clear-site-data")).toBeNull();
  });

  test.each([
    ["forged", () => `__Host-vitrine-visit=${"a".repeat(43)}`],
    ["doubled", (cookie: string) => `${cookie}; ${cookie}`],
    ["doubled by a forged one", (cookie: string) => `__Host-vitrine-visit=x; ${cookie}`],
    ["of plain HTTP", (cookie: string) => cookie.replace("__Host-", "")],
    ["with something behind", (cookie: string) => `${cookie}a`],
    ["of another kind", (cookie: string) => cookie.replace("visit", "state")],
  ])("is invalid with a cookie that is %s", async (_what, forge) => {
    const cookie = await visit();
    expect((await check("/", { cookie: forge(cookie) }))?.status).toBe(401);
  });

  test("is found among cookies of the page", async () => {
    const cookie = await visit();
    expect(await check("/", { cookie: `a=b; vitrine-visit=x;  ${cookie}; c=d` })).toBeNull();
  });
});

test("the owner, who is not in the list of readers, follows the same steps", async () => {
  const owner = await store.users.find(site.ownerId);
  if (!owner) throw new Error("the owner is gone");
  caller = {
    kind: "session",
    user: owner,
    sessionId: await addSession(store, owner.id, 90 * DAY, 30 * DAY),
    at: 0,
    signedInAt: null,
  };
  const cookie = await visit();
  expect(await check("/", { cookie })).toBeNull();
});

describe("a share of an alias", () => {
  const secret = newSecret(systemSecrets, "vtv");
  beforeEach(async () => {
    const hashes = { secretHash: systemSecrets.sha256(secret), passwordHash: null };
    const share = { id: "s", siteId: site.id, label: "client", kind: "link", target: "pr-1" } as const;
    await store.shares.add({ ...share, ...hashes, createdAt: now, expiresAt: now + DAY }, 1);
  });
  const enter = (host: string, target: string) =>
    check(`/.vitrine/enter?share=${secret}`, page, host, site.id, "GET", target);

  test("opens all hosts of the alias, including a custom domain, each with its own cookie", async () => {
    const hosts = [`pr-1--${HOST}`, "preview.example.com"] as const;
    for (const [index, host] of hosts.entries()) {
      const response = await enter(host, "pr-1");
      expect(response?.status).toBe(303);
      const [cookie = ""] = (response?.headers.getSetCookie()[0] ?? "").split(";");
      expect(await check("/", { cookie }, host, site.id, "GET", "pr-1")).toBeNull();
      const other = hosts[1 - index] as string;
      expect((await check("/", { cookie }, other, site.id, "GET", "pr-1"))?.status).toBe(401);
    }
  });

  test("opened again with a valid visit makes no other visit and counts no use", async () => {
    const host = `pr-1--${HOST}`;
    const first = await enter(host, "pr-1");
    const [cookie = ""] = (first?.headers.getSetCookie()[0] ?? "").split(";");
    const path = `/.vitrine/enter?share=${secret}`;
    const again = () => check(path, { ...page, cookie }, host, site.id, "GET", "pr-1");
    const second = await again();
    expect([second?.status, second?.headers.get("location"), second?.headers.getSetCookie()]).toEqual([303, "/", []]);
    expect(await store.shares.listOfSite(site.id)).toMatchObject([{ uses: 1 }]);
    now += 12 * HOUR;
    expect((await again())?.headers.getSetCookie()).toHaveLength(1);
    expect(await store.shares.listOfSite(site.id)).toMatchObject([{ uses: 2 }]);
  });

  test("is refused from an address with too many entries, until the oldest is forgotten", async () => {
    for (let entry = 1; entry <= 300; entry++) await enter(`pr-1--${HOST}`, "pr-1");
    const refused = await enter(`pr-1--${HOST}`, "pr-1");
    expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([429, "900"]);
    expect(refused?.headers.getSetCookie()).toEqual([]);
    now += 15 * MINUTE;
    expect((await enter(`pr-1--${HOST}`, "pr-1"))?.status).toBe(303);
  });

  test.each([
    ["the live site", HOST, ""],
    ["another alias", `pr-2--${HOST}`, "pr-2"],
    ["a deployment", `1--${HOST}`, "1"],
  ])("does not open %s", async (_what, host, target) => {
    const response = await enter(host, target);
    expect([response?.status, response?.headers.getSetCookie()]).toEqual([400, []]);
  });

  test("opens no other site", async () => {
    const other = await addSite(store, "other", site.ownerId, true);
    const host = "pr-1--other.vitrine.test";
    expect((await check(`/.vitrine/enter?share=${secret}`, page, host, other.id, "GET", "pr-1"))?.status).toBe(400);
  });
});

test("only the site of which too many passwords wait is told when to try again", async () => {
  const other = await addSite(store, "other", site.ownerId, true);
  const checks: (() => void)[] = [];
  const verify = () => new Promise<boolean>((resolve) => checks.push(() => resolve(false)));
  const gate = makeGate({ ...ports(), passwords: { verify } }, BASE);
  const guess = (siteId: number) => {
    const body = new URLSearchParams({ password: "correct horse" });
    const request = new Request(`https://${HOST}/.vitrine/enter`, { method: "POST", body });
    return gate.check(request, { host: HOST, siteId, private: true, target: "" }, { address: "203.0.113.9" });
  };
  const waiting = [guess(site.id), guess(site.id), guess(site.id)];
  await new Promise(setImmediate);
  const refused = await guess(site.id);
  expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([503, "2"]);
  waiting.push(guess(other.id));
  for (let check = 0; check < 4; check++) {
    await new Promise(setImmediate);
    checks.shift()?.();
  }
  expect((await Promise.all(waiting)).map((response) => response?.status)).toEqual([403, 403, 403, 403]);
});
