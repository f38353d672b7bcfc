import { expect, test } from "bun:test";
import { leaseHolder } from "../domain/claims/check-lease.ts";
import { ONLY_NODE } from "../workers/shared.ts";
import { zipOf } from "./testing/archives.ts";
import { type ClaimResponse, startDomainsServer } from "./testing/domains.ts";

async function start(flags: Record<string, string>) {
  const vitrine = await startDomainsServer(flags);
  const { token } = await vitrine.signUp("ada");
  await vitrine.deploy(token, await zipOf({ "index.html": "x" }), { site: "demo" });
  const capability = async () => (await vitrine.call("GET", "/capabilities/custom-domains", { token })).json();
  const claim = () => vitrine.call("POST", "/sites/demo/domains", { token, json: { hostname: "www.example.org" } });
  return { vitrine, token, capability, claim, [Symbol.asyncDispose]: () => vitrine[Symbol.asyncDispose]() };
}

test("a check responds even if the resolver does not", async () => {
  await using part = await start({ "idle-timeout": "1s" });
  part.vitrine.names.hostile = () => [];
  const claim = (await (await part.claim()).json()) as ClaimResponse;
  part.vitrine.advance(1001);
  const checked = await part.vitrine.call("POST", `/sites/demo/domains/${claim.id}/check`, { token: part.token });
  expect(checked.status).toBe(503);
});

test("private addresses are not probed unless that is allowed, not even those of routing targets", async () => {
  await using part = await start({ "allow-private-probes": "off" });
  const { vitrine, token } = part;
  vitrine.names.zone["A www.example.org"] = ["127.0.0.1"];
  const claim = (await (await part.claim()).json()) as ClaimResponse;
  vitrine.prove(claim);
  const checked = await vitrine.check(token, claim);
  expect(checked).toMatchObject({ connection_status: "action_needed", challenge_seen_at: null, activated_at: null });
  expect(checked.activation_error).toContain("127.0.0.1 is not a public address");
});

test("a name with the addresses of a routing target stays connected while that target's lookup fails", async () => {
  const target = "pages.example.net";
  await using part = await start({ "routing-targets": `CNAME:${target}` });
  const { vitrine, token } = part;
  const { zone } = vitrine.names;
  zone[`A ${target}`] = ["127.0.0.1"];
  const claim = await vitrine.connect(token, "demo", "example.org");
  zone[`A ${target}`] = "SERVFAIL";
  const failing = await vitrine.check(token, claim);
  expect(failing).toMatchObject({ connection_status: "connected", observed_mode: "unavailable" });
  expect(failing.last_error).toContain(`answered SERVFAIL for ${target}`);
});

test("a name that has moved away is reported while the target's lookup fails for the other address family", async () => {
  const target = "pages.example.net";
  await using part = await start({ "routing-targets": `CNAME:${target}` });
  const { vitrine, token } = part;
  const { zone } = vitrine.names;
  const [ours, ipv4, ipv6] = [["127.0.0.1"], ["198.51.100.66"], ["2001:db8::66"]];
  zone[`A ${target}`] = ours;
  const claim = await vitrine.connect(token, "demo", "example.org");
  delete zone[`TXT ${claim.verification.name}`];
  const look = async (name: { A?: string[]; AAAA?: string[] }, failing: "A" | "AAAA") => {
    for (const type of ["A", "AAAA"] as const) {
      zone[`${type} example.org`] = name[type] ?? [];
      zone[`${type} ${target}`] = type === failing ? "SERVFAIL" : type === "A" ? ours : [];
    }
    const { connection_status, observed_mode, last_error } = await vitrine.check(token, claim);
    return [connection_status, observed_mode, last_error?.includes("the domain is removed at ") ?? false];
  };
  expect(await look({ AAAA: ipv6 }, "AAAA")).toEqual(["connected", "unavailable", false]);
  expect(await look({ A: ipv4 }, "AAAA")).toEqual(["action_needed", "unsupported", true]);
  expect(await look({ A: ours }, "AAAA")).toEqual(["connected", "direct", false]);
  expect(await look({ AAAA: ipv6 }, "A")).toEqual(["action_needed", "unsupported", true]);
  expect(await look({ A: ipv4, AAAA: ipv6 }, "A")).toEqual(["action_needed", "unsupported", true]);
});

test("claims, their plans and routes survive a restart, and an interrupted check does not block later ones", async () => {
  const first = await start({});
  const { vitrine, token } = first;
  const connected = await vitrine.connect(token, "demo", "www.example.org");
  const before = await vitrine.store.claims.find(connected.id);
  expect(before?.nextCheckAt).toBeGreaterThan(vitrine.clock.now() + 20 * 3_600_000);
  const pending = await vitrine.claim(token, "demo", "new.example.org");
  const interrupt = () => {
    vitrine.advance(1001);
    const now = vitrine.clock.now();
    const lease = { holder: leaseHolder(ONLY_NODE, "cut off"), now, until: now + 30_000, shareFor: 1000 };
    return vitrine.store.claims.takeCheck(pending.id, lease);
  };
  // The scheduler may be checking the new claim.
  while ((await interrupt()).outcome !== "begun") await Bun.sleep(10);
  const { dataDir } = vitrine.config;
  const { zone } = vitrine.names;
  await vitrine.stop();
  await vitrine.names.stop();

  const again = await startDomainsServer({ "data-dir": dataDir });
  Object.assign(again.names.zone, zone);
  expect(await again.store.claims.find(connected.id)).toEqual(before);
  expect((await again.visitHostname("www.example.org")).status).toBe(200);
  again.prove(pending);
  expect((await again.check(token, pending)).status).toBe("verified");
  await again[Symbol.asyncDispose]();
  await vitrine[Symbol.asyncDispose]().catch(() => {});
});
