import { describe, expect, test } from "bun:test";
import type { DomainClaim } from "../api/schemas/types.ts";
import { PENDING_CLAIM } from "../api/testing/pending-claim.ts";
import { addressProblem, recordGone } from "../domain/claims/messages.ts";
import { ApiClient } from "./client/client.ts";
import { formatSteps, stepsOf } from "./domain-steps.ts";
import { waitUntilConnected } from "./domains.ts";
import { styleFor } from "./terminal/style.ts";
import { runCli } from "./testing/run-cli.ts";
import { stubServer } from "./testing/stub-server.ts";

const VERIFIED: DomainClaim = { ...PENDING_CLAIM, status: "verified", verified_at: "2026-11-20T11:00:00.000Z" };
const CONNECTED: DomainClaim = {
  ...VERIFIED,
  connection_status: "connected",
  observed_mode: "direct",
  effective_mode: "direct",
  route_status: "routed",
  activated_at: "2026-11-20T11:01:00.000Z",
};
const TARGETS = [
  { type: "A", value: "203.0.113.7" },
  { type: "AAAA", value: "2001:db8::7" },
];

function explained(claim: DomainClaim): string {
  return formatSteps(styleFor(false), stepsOf(claim, TARGETS));
}

const CLAIM = { hostname: "www.example.org", activatedAt: null };
const NOWHERE = addressProblem(CLAIM, { kind: "absent", resolver: "9.9.9.9:53", why: "NXDOMAIN", aliases: [] }, []);
const RECORD_GONE = recordGone(PENDING_CLAIM.verification.name, PENDING_CLAIM.verification.value);
const FAILED = addressProblem(CLAIM, { kind: "failed", resolver: "9.9.9.9:53", reason: "SERVFAIL" }, []);

describe("the explanation", () => {
  test("of a new claim shows the record to set, with each part to copy, and the next steps", () => {
    expect(explained(PENDING_CLAIM)).toBe(
      [
        `  … The TXT record was not found yet. Set it by ${new Date(PENDING_CLAIM.expires_at).toLocaleDateString("sv")} ${new Date(PENDING_CLAIM.expires_at).toLocaleTimeString("sv").slice(0, 5)}:`,
        "      name   _vitrine-challenge.www.example.org",
        "      type   TXT",
        "      value  token=ABC",
        "  … Then point the hostname to this server with one of these records:",
        "      name   www.example.org",
        "      type   A",
        "      value  203.0.113.7",
        "      name   www.example.org",
        "      type   AAAA",
        "      value  2001:db8::7",
        "  … Not connected yet.",
      ].join("\n"),
    );
  });

  test.each([
    ["connected", CONNECTED, "✓ Connected: www.example.org serves the site."],
    [
      "waiting for a certificate",
      { ...VERIFIED, connection_status: "securing" },
      "… The certificate is being issued or put in place.",
    ],
    ["pointing elsewhere", { ...VERIFIED, observed_mode: "unsupported" }, "✗ The hostname points elsewhere."],
    [
      "without an address",
      { ...VERIFIED, observed_mode: "unavailable", last_error: NOWHERE },
      "… The hostname has no address.",
    ],
    [
      "not to be looked up",
      { ...CONNECTED, observed_mode: "unavailable", last_error: FAILED },
      "… The hostname's address could not be looked up.",
    ],
    [
      "connected without its record",
      { ...CONNECTED, last_error: "the TXT record … is gone" },
      "the TXT record … is gone",
    ],
    [
      "without its record, which has to be set again",
      { ...CONNECTED, last_error: `${RECORD_GONE}: set it again.` },
      "… The TXT record is missing. Set it again:\n      name   _vitrine-challenge.www.example.org",
    ],
    [
      "half moved and works",
      { ...CONNECTED, observed_mode: "mixed" },
      "… The hostname points to this server both directly and through the edge",
    ],
    [
      "half moved and does not work",
      { ...CONNECTED, connection_status: "action_needed", observed_mode: "mixed" },
      "✗ The hostname points to this server both directly and through the edge",
    ],
    ["moving", { ...CONNECTED, connection_status: "updating", target_mode: "proxy" }, "… Switching to proxy mode"],
    ["expired", { ...PENDING_CLAIM, status: "expired" }, "✗ The TXT record was not found in time."],
    [
      "stuck while moving",
      { ...CONNECTED, connection_status: "action_needed", transition_error: "the edge does not answer" },
      "Then: vitrine domains retry demo www.example.org",
    ],
    ["given up", { ...PENDING_CLAIM, status: "cancelled" }, "✗ The domain was removed."],
  ] as [string, DomainClaim, string][])("of a claim that is %s", (_, claim, sentence) => {
    expect(explained(claim)).toContain(sentence);
  });

  test("prints each reason once, even if several fields have it", () => {
    const reason = "probe: connection refused";
    const claim: DomainClaim = {
      ...VERIFIED,
      connection_status: "action_needed",
      activation_error: reason,
      last_error: reason,
    };
    expect(explained(claim).split(reason).length - 1).toBe(1);
  });

  test("of an edge lists the findings there", () => {
    const ok = { status: "ok", error: null };
    const proxy_diagnostics = {
      checked_at: "2026-11-20T11:00:00.000Z",
      consecutive_failures: 0,
      generation: 1,
      ranges_version: "2026-01-01",
      dns: ok,
      origin: ok,
      ownership: ok,
      edge_tls: { status: "warning", error: "certificate ends in 3 days" },
      edge_http: {
        ...ok,
        address: null,
        edge_cache_status: null,
        edge_ray: null,
        redirect_location: null,
        status_code: 200,
      },
      http_forwarding: { ...ok, status_code: 200 },
    };
    expect(explained({ ...CONNECTED, observed_mode: "proxy", proxy_diagnostics })).toContain(
      "the edge's certificate: certificate ends in 3 days",
    );
  });
});

describe("commands", () => {
  const SITE = "/sites/demo/domains";
  const connection = (url: string) => ["--server", url, "--token", "vts_x"];
  const capability = Response.json({ status: "ready", routing_targets: TARGETS });

  test("add prints the TXT record on stdout as one line, and the instructions on stderr", async () => {
    await using server = stubServer({
      [`POST ${SITE}`]: Response.json(PENDING_CLAIM, { status: 201 }),
      "GET /capabilities/custom-domains": capability,
    });
    const result = await runCli(["domains", "add", "demo", "www.example.org", ...connection(server.url)]);
    expect(result.status).toBe(0);
    expect(result.stdout).toBe("_vitrine-challenge.www.example.org TXT token=ABC\n");
    expect(result.stderr).toContain("vitrine domains check demo www.example.org");
    expect(server.requested[0]?.body).toEqual({ hostname: "www.example.org" });
  });

  test("check finds the claim by its hostname in any notation, and explains it", async () => {
    await using server = stubServer({
      [`GET ${SITE}`]: Response.json([{ ...PENDING_CLAIM, id: 6, status: "cancelled" }, PENDING_CLAIM]),
      [`POST ${SITE}/7/check`]: Response.json(CONNECTED),
      "GET /capabilities/custom-domains": capability,
    });
    const { status, stdout } = await runCli([
      "domains",
      "check",
      "demo",
      "WWW.Example.org.",
      ...connection(server.url),
    ]);
    expect(status).toBe(0);
    expect(stdout).toStartWith("www.example.org: connected\n  ✓ Ownership verified");
  });

  test("check finds an internationalized name, and one failed check does not hide the others", async () => {
    const umlaut = { ...PENDING_CLAIM, id: 8, hostname: "xn--bcher-kva.example" };
    const leaving = { ...CONNECTED, id: 9, hostname: "old.example.org", withdrawn_at: "2026-11-20T11:00:00.000Z" };
    await using server = stubServer({
      [`GET ${SITE}`]: Response.json([PENDING_CLAIM, umlaut, leaving]),
      [`POST ${SITE}/7/check`]: Response.json({ detail: "no DNS resolver answers" }, { status: 503 }),
      [`POST ${SITE}/8/check`]: Response.json(umlaut),
      "GET /capabilities/custom-domains": capability,
    });
    const check = (...names: string[]) => runCli(["domains", "check", "demo", ...names, ...connection(server.url)]);
    expect((await check("Bücher.example")).stdout).toStartWith("xn--bcher-kva.example: ");
    const all = await check();
    expect([all.status, all.stdout, all.stderr]).toEqual([
      1,
      expect.stringContaining("xn--bcher-kva.example: "),
      expect.stringContaining("no DNS resolver answers"),
    ]);
  });

  test("retry and cancel apply to the transition of the claim with that hostname", async () => {
    await using server = stubServer({
      [`GET ${SITE}`]: Response.json([CONNECTED]),
      [`POST ${SITE}/7/transition/retry`]: Response.json({ ...CONNECTED, target_mode: "proxy" }),
      [`POST ${SITE}/7/transition/cancel`]: Response.json({ detail: "there is no transition" }, { status: 409 }),
    });
    const run = (verb: string) => runCli(["domains", verb, "demo", "www.example.org", ...connection(server.url)]);
    expect(await run("retry")).toMatchObject({ status: 0, stderr: expect.stringContaining("to proxy mode") });
    expect(await run("cancel")).toMatchObject({ status: 1, stderr: "error: there is no transition\n" });
  });

  test("list omits ended claims, except with --all or --json", async () => {
    const ended = { ...PENDING_CLAIM, id: 6, hostname: "old.example.org", status: "cancelled" };
    await using server = stubServer({ [`GET ${SITE}`]: Response.json([PENDING_CLAIM, ended]) });
    const list = (...more: string[]) => runCli(["domains", "list", "demo", ...more, ...connection(server.url)]);
    expect((await list()).stdout).not.toContain("old.example.org");
    expect((await list("--all")).stdout).toContain("old.example.org");
    expect(JSON.parse((await list("--json")).stdout)).toEqual([PENDING_CLAIM, ended]);
  });

  test.each([
    ["ready", "Add it: vitrine domains add demo x.example.org", "Add one: vitrine domains add demo HOSTNAME"],
    ["disabled", ...Array<string>(2).fill("Custom domains are off on this server: ask the operator.")],
  ] as [string, string, string][])(
    "if custom domains are %s, the advice about an unknown claim matches",
    async (status, forIt, forOne) => {
      await using server = stubServer({
        [`GET ${SITE}`]: Response.json([]),
        "GET /capabilities/custom-domains": Response.json({ status }),
      });
      const outputOf = async (...args: string[]) => {
        const result = await runCli(["domains", ...args, ...connection(server.url)]);
        return [result.status, result.stderr];
      };
      expect(await outputOf("remove", "demo", "x.example.org")).toEqual([
        1,
        `error: demo has no domain x.example.org\n${forIt}\n`,
      ]);
      expect(await outputOf("check", "demo")).toEqual([1, `error: demo has no custom domains\n${forOne}\n`]);
      expect(await outputOf("list", "demo")).toEqual([0, `No custom domains. ${forOne}\n`]);
    },
  );
});

describe("waiting", () => {
  async function wait(...responses: Response[]) {
    await using server = stubServer({ "POST /sites/demo/domains/7/check": responses });
    const steps: string[] = [];
    const outcome = await waitUntilConnected(
      new ApiClient(server.url, "t"),
      "demo",
      PENDING_CLAIM,
      (sentence) => steps.push(sentence),
      async () => {},
    ).catch((error: Error) => error.message);
    return { outcome, steps };
  }

  test("prints each change once until the domain is connected", async () => {
    const waiting = { ...PENDING_CLAIM, last_error: "no TXT record" };
    const { outcome, steps } = await wait(
      Response.json(waiting),
      Response.json(waiting),
      Response.json({ detail: "no resolver answers" }, { status: 503 }),
      Response.json({ ...VERIFIED, connection_status: "securing" }),
      Response.json(CONNECTED),
    );
    expect(outcome).toEqual(CONNECTED);
    expect(steps).toEqual(["waiting for dns: no TXT record", "securing"]);
  });

  test("ends with a claim that has ended", async () => {
    const { outcome } = await wait(Response.json({ ...PENDING_CLAIM, status: "expired" }));
    expect(outcome).toBe("the claim of www.example.org has expired");
  });
});
