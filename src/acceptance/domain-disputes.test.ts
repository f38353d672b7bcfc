import { afterAll, beforeAll, expect, test } from "bun:test";
import { zipOf } from "./testing/archives.ts";
import { type ClaimResponse, type DomainsServer, startDomainsServer } from "./testing/domains.ts";

let vitrine: DomainsServer;
let people = 0;

beforeAll(async () => {
  vitrine = await startDomainsServer({ workers: "2" });
});
afterAll(() => vitrine?.[Symbol.asyncDispose]());

/** Adds a user with a site of the same name. Claims are limited by user. */
async function addUser(): Promise<{ token: string; site: string }> {
  const site = `owner${++people}`;
  const { token } = await vitrine.signUp(site);
  await vitrine.deploy(token, await zipOf({ "index.html": site }), { site });
  return { token, site };
}

const create = (token: string, site: string, hostname: string) =>
  vitrine.call("POST", `/sites/${site}/domains`, { token, json: { hostname } });
const path = (claim: ClaimResponse) => `/sites/${claim.site_name}/domains/${claim.id}`;
const detail = async (response: Response) => ((await response.json()) as { detail: string }).detail;

test("of two claims of a name the first proof wins, and a pending claim blocks nobody", async () => {
  const ada = await addUser();
  const bob = await addUser();
  const first = await vitrine.claim(ada.token, ada.site, "contested.example.org");
  const second = await vitrine.claim(bob.token, bob.site, "contested.example.org");
  expect(second.verification.value).not.toBe(first.verification.value);

  vitrine.names.zone["A contested.example.org"] = ["127.0.0.1"];
  vitrine.prove(second);
  expect((await vitrine.check(ada.token, first)).status).toBe("pending");
  expect((await vitrine.check(bob.token, second)).connection_status).toBe("connected");
  expect((await vitrine.check(ada.token, first)).status).toBe("pending");

  const carol = await addUser();
  const late = await create(carol.token, carol.site, "contested.example.org");
  expect([late.status, await detail(late)]).toEqual([
    409,
    "contested.example.org is already verified for another site",
  ]);
});

test("a name moves to the new claimant after two checks with their record and without the holder's", async () => {
  const ada = await addUser();
  const bob = await addUser();
  // Bob's claim is older than Ada's proof, because a verified name cannot be claimed.
  const newcomer = await vitrine.claim(bob.token, bob.site, "sold.example.org");
  const holder = await vitrine.connect(ada.token, ada.site, "sold.example.org");
  vitrine.prove(newcomer);
  const waiting = await vitrine.check(bob.token, newcomer);
  expect(waiting.status).toBe("pending");
  expect(waiting.last_error).toContain("held by another site whose own TXT record is there");

  vitrine.names.zone["TXT _vitrine-challenge.sold.example.org"] = [newcomer.verification.value];
  const once = await vitrine.check(bob.token, newcomer);
  expect(once.status).toBe("pending");
  expect(once.last_error).toContain("absent for the first time");
  expect(await (await vitrine.visitHostname("sold.example.org")).text()).toBe(ada.site);

  expect(await vitrine.check(bob.token, newcomer)).toMatchObject({
    status: "verified",
    route_status: "routed",
    connection_status: "connected",
  });
  expect(await (await vitrine.visitHostname("sold.example.org")).text()).toBe(bob.site);
  const lost = await vitrine.read(ada.token, holder);
  expect(lost).toMatchObject({ status: "cancelled", route_status: "removed", connection_status: "action_needed" });
  expect(lost.last_error).toContain("proven by another site");
});

test("the holder keeps the claim if their record comes back between the checks", async () => {
  const ada = await addUser();
  const bob = await addUser();
  const newcomer = await vitrine.claim(bob.token, bob.site, "kept.example.org");
  const holder = await vitrine.connect(ada.token, ada.site, "kept.example.org");
  const records = "TXT _vitrine-challenge.kept.example.org";
  vitrine.names.zone[records] = [newcomer.verification.value];
  await vitrine.check(bob.token, newcomer);
  vitrine.names.zone[records] = [newcomer.verification.value, holder.verification.value];
  await vitrine.check(bob.token, newcomer);
  vitrine.names.zone[records] = [newcomer.verification.value];
  expect((await vitrine.check(bob.token, newcomer)).status).toBe("pending");
  expect((await vitrine.read(ada.token, holder)).status).toBe("verified");
});

test("an owner cannot claim a name twice, not even for another site", async () => {
  const { token, site } = await addUser();
  await vitrine.deploy(token, await zipOf({ "index.html": "x" }), { site: "other-of-mine" });
  await vitrine.claim(token, site, "once.example.org");
  const again = await create(token, site, "ONCE.example.org.");
  expect([again.status, await detail(again)]).toEqual([409, "once.example.org is already claimed by this site"]);
  const other = await create(token, "other-of-mine", "once.example.org");
  expect([other.status, await detail(other)]).toEqual([
    409,
    `once.example.org is already claimed by your site ${site}`,
  ]);
});

test("a user can make five claims per minute and twenty per day, and refused ones do not count", async () => {
  const { token, site } = await addUser();
  let made = 0;
  // The scheduler renews its lease within a second after the clock has jumped; on a busy machine it takes longer.
  const tryOne = async () => {
    const hostname = `rate${++made}.example.org`;
    for (;;) {
      const response = await create(token, site, hostname);
      if (response.status !== 503) return response;
    }
  };
  for (let claim = 0; claim < 5; claim++) {
    expect((await create(token, site, "not a name")).status).toBe(400);
    expect((await tryOne()).status).toBe(201);
  }
  expect((await create(token, site, "rate1.example.org")).status).toBe(409);
  const refused = await tryOne();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);

  for (let minute = 0; minute < 3; minute++) {
    vitrine.advance(60_000);
    for (let claim = 0; claim < 5; claim++) expect((await tryOne()).status).toBe(201);
  }
  vitrine.advance(60_000);
  const spent = await tryOne();
  expect(spent.status).toBe(429);
  expect(Number(spent.headers.get("retry-after"))).toBeGreaterThan(80_000);
  vitrine.advance(86_400_000);
  expect((await tryOne()).status).toBe(201);
});

test("concurrent requests share checks across threads", async () => {
  const { token, site } = await addUser();
  const claim = await vitrine.claim(token, site, "busy.example.org");
  await vitrine.check(token, claim);
  const checkTogether = async () => {
    vitrine.advance(1001);
    // The first check waits until the others have arrived.
    const { promise, resolve } = Promise.withResolvers<void>();
    vitrine.names.held = promise;
    const calls = Array.from({ length: 12 }, () => vitrine.call("POST", `${path(claim)}/check`, { token }));
    // The thread that responds to one of these has processed the requests before it.
    const health = () => vitrine.call("GET", "/health", { headers: { Connection: "close" } });
    await Promise.all(Array.from({ length: 20 }, health));
    vitrine.names.held = null;
    resolve();
    return Promise.all(calls);
  };
  let responses = await checkTogether();
  // On a busy machine, that may take longer than a query waits.
  while (responses.some(({ status }) => status === 503)) responses = await checkTogether();
  expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(200));
  const bodies = await Promise.all(responses.map((response) => response.json() as Promise<ClaimResponse>));
  // One, unless a request arrives more than a second late. The contract of the store shows that one check runs at a time.
  expect(new Set(bodies.map(({ last_checked_at }) => last_checked_at)).size).toBeLessThan(6);
});

test("a site that is deleted during a check stays deleted", async () => {
  const { token, site } = await addUser();
  const claim = await vitrine.claim(token, site, "late.example.org");
  // The scheduler checks it again in a minute, and not instead of the request below.
  await vitrine.check(token, claim);
  vitrine.prove(claim);
  vitrine.advance(1001);
  const { promise, resolve } = Promise.withResolvers<void>();
  vitrine.names.held = promise;
  const requested = vitrine.names.requested.length;
  const checking = vitrine.call("POST", `${path(claim)}/check`, { token });
  const isAsked = () => vitrine.names.requested.slice(requested).some((query) => query.includes("late.example.org"));
  while (!isAsked()) await Bun.sleep(5);
  expect((await vitrine.call("DELETE", path(claim), { token })).status).toBe(204);
  expect((await vitrine.call("DELETE", `/sites/${site}`, { token })).status).toBe(204);
  vitrine.names.held = null;
  resolve();
  expect((await checking).status).toBe(200);
  expect((await vitrine.visitHostname("late.example.org")).status).toBe(404);
  expect((await vitrine.call("GET", `/sites/${site}/domains`, { token })).status).toBe(404);
  expect(await vitrine.store.claims.find(claim.id)).toMatchObject({ status: "cancelled", siteName: null });
});

test("malicious responses verify nothing and break nothing", async () => {
  const { token, site } = await addUser();
  const claim = await vitrine.claim(token, site, "hostile.example.org");
  const name = `_vitrine-challenge.hostile.example.org`;
  const { value } = claim.verification;
  const zones: [string, readonly string[]][] = [
    // Too long for a datagram, and few enough to encode within the time limit of a query on a busy machine.
    [`TXT ${name}`, Array.from({ length: 80 }, (_, index) => `token=${"a".repeat(190)}${index}`)],
    [`TXT ${name}`, [`${value}\u0000`, `\u0000${value}`, value.toUpperCase(), `x${value}`]],
    [`CNAME ${name}`, [name]],
    [`TXT hostile.example.org`, [value]],
  ];
  for (const [record, values] of zones) {
    vitrine.names.zone[record] = values;
    const checked = await vitrine.check(token, claim);
    expect(checked.status).toBe("pending");
    expect(checked.last_error?.length).toBeLessThan(1200);
    vitrine.names.zone[record] = undefined;
  }
  vitrine.names.zone[`TXT ${name}`] = ["junk", `${value} expiry=never`];
  expect((await vitrine.check(token, claim)).status).toBe("verified");
});

test("each role may do only its operations on a claim", async () => {
  const ada = await addUser();
  const bob = await addUser();
  const claim = await vitrine.claim(ada.token, ada.site, "mine.example.org");
  const ci = (await vitrine.mintDeploymentToken(ada.site)).token;
  const json = { hostname: "x.example.org" };
  const operations = [
    ["GET", `/sites/${ada.site}/domains`, undefined],
    ["POST", `/sites/${ada.site}/domains`, json],
    ["POST", `${path(claim)}/check`, undefined],
    ["DELETE", path(claim), undefined],
    ["POST", `${path(claim)}/transition/cancel`, undefined],
    ["POST", `${path(claim)}/transition/retry`, undefined],
  ] as const;
  for (const [method, address, body] of operations) {
    const status = async (token: string | undefined, to = address) =>
      (await vitrine.call(method, to, { token, json: body })).status;
    expect([method, address, await status(undefined)]).toEqual([method, address, 401]);
    expect([method, address, await status(ci)]).toEqual([method, address, 403]);
    expect([method, address, await status(bob.token)]).toEqual([method, address, 403]);
    expect(await status(ada.token, address.replace(ada.site, "nowhere"))).toBe(404);
    if (!address.includes(`/${claim.id}`)) continue;
    expect(await status(bob.token, address.replace(ada.site, bob.site))).toBe(404);
    expect(await status(ada.token, address.replace(`/${claim.id}`, "/x"))).toBe(422);
  }
  expect((await vitrine.call("GET", "/capabilities/custom-domains")).status).toBe(401);
  expect((await vitrine.call("GET", "/capabilities/custom-domains", { token: ci })).status).toBe(403);
  const empty = await vitrine.call("POST", `/sites/${ada.site}/domains`, { token: ada.token, json: {} });
  expect([empty.status, await empty.json()]).toMatchObject([422, { detail: [{ loc: ["body", "hostname"] }] }]);
  for (const verb of ["cancel", "retry"]) {
    const response = await vitrine.call("POST", `${path(claim)}/transition/${verb}`, { token: ada.token });
    expect(response.status).toBe(409);
  }
});

test("challenges of open claims are served on every host, and nothing else is", async () => {
  const { token, site } = await addUser();
  const claim = await vitrine.claim(token, site, "challenge.example.org");
  const challenge = claim.challenge_path as string;
  const ask = async (address: string, host: string) => {
    const response = await vitrine.call("GET", address, { headers: { Host: host } });
    return [response.status, await response.text()] as const;
  };
  const [status, proof] = await ask(challenge, "challenge.example.org");
  expect([status, proof]).toEqual([200, expect.stringMatching(/^[a-z2-7]{32}$/)]);
  expect(challenge).not.toContain(proof);
  for (const host of ["localhost", "127.0.0.1", `${site}.localhost`, "nobody.example.com"]) {
    expect(await ask(challenge, host)).toEqual([200, proof]);
    expect((await ask("/.well-known/vitrine/unknown", host))[0]).toBe(404);
    expect((await ask(`${challenge}/`, host))[0]).toBe(404);
    expect(await ask(`${challenge}%zz`, host)).toEqual([404, "not found\n"]);
  }
  await vitrine.call("DELETE", path(claim), { token });
  expect((await ask(challenge, "challenge.example.org"))[0]).toBe(404);
});

test("a private site stays private under its custom domain", async () => {
  const { token, site } = await addUser();
  await vitrine.connect(token, site, "private.example.org");
  expect((await vitrine.visitHostname("private.example.org")).status).toBe(200);
  await vitrine.call("PUT", `/sites/${site}/access`, { token });
  const html = { headers: { Accept: "text/html" } };
  const stranger = await vitrine.visitHostname("private.example.org", "/", html);
  expect(stranger.status).toBe((await vitrine.visit(site, "/", html)).status);
  expect(await stranger.text()).not.toContain(site === "" ? "x" : `>${site}<`);
});

test("a URL of a custom domain is explained as served there, and only for its own site", async () => {
  const { token, site } = await addUser();
  await vitrine.connect(token, site, "explained.example.org");
  const explain = (of: string, as: string) =>
    vitrine.call("GET", `/sites/${of}/explain?path=https://Explained.example.org/?a`, { token: as });
  const { url, status, headers } = (await (await explain(site, token)).json()) as Record<string, unknown>;
  expect([url, status]).toEqual([expect.stringMatching(/^http:\/\/explained\.example\.org:\d+\/\?a$/), 200]);
  const there = await vitrine.visitHostname("explained.example.org");
  expect(headers).toMatchObject({ etag: there.headers.get("etag") });
  const other = await addUser();
  expect((await explain(other.site, other.token)).status).toBe(422);
});
