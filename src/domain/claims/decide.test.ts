import { describe, expect, test } from "bun:test";
import { DomainError } from "../errors.ts";
import { type Claim, connectionStatus } from "../model/claim.ts";
import { DAY, HOUR, MINUTE } from "../timestamp.ts";
import { type ClaimEvent, decide } from "./decide.ts";
import type { DecisionContext } from "./decide-verified.ts";
import { aClaim, aConnected, aRouted, contextAt, seen, T0 } from "./testing/observations.ts";

/** The fields of a decision that the tables contain. */
function outcome(claim: Claim, event: ClaimEvent, now = T0 + MINUTE, more: Partial<DecisionContext> = {}) {
  const decision = decide(claim, event, contextAt(now, more));
  const { status, routeStatus, observedMode, effectiveMode, targetMode } = decision.claim;
  return {
    status,
    route: routeStatus,
    modes: `${effectiveMode ?? "-"}>${targetMode ?? "-"} seen ${observedMode ?? "-"}`,
    connection: connectionStatus(decision.claim),
    actions: decision.actions,
  };
}

const pending = aClaim();
const publishing = aRouted({ routeStatus: "publishing", routeGeneration: 0 });
const removing = aConnected({ routeStatus: "removing", withdrawnAt: T0, removalRequestedAt: T0 });
const moving = aConnected({
  mode: "proxy",
  observedMode: "proxy",
  targetMode: "proxy",
  transitionStartedAt: T0,
  transitionDeadlineAt: T0 + HOUR,
});
const expired = aClaim({ status: "expired", lastError: "expired" });
const cancelled = aClaim({ status: "cancelled" });
const removed = aClaim({ status: "cancelled", routeStatus: "removed", verifiedAt: T0 });

describe("a pending claim", () => {
  const holder = (proofMisses: number, proofPresent = false) => ({ proofMisses, proofPresent });
  test.each([
    ["the record is there", seen({}), "verified", "publishing", ["publish_route"]],
    ["it is not", seen({ proof: "absent" }), "pending", "not_routed", []],
    ["the resolver fails", seen({ proof: "SERVFAIL" }), "pending", "not_routed", []],
    ["nobody answers", seen({ proof: "silent" }), "pending", "not_routed", []],
    ["a holder has its own", seen({ holder: holder(5, true) }), "pending", "not_routed", ["notify_holder_proof_seen"]],
    [
      "a holder misses its own once",
      seen({ holder: holder(0) }),
      "pending",
      "not_routed",
      ["notify_holder_proof_missed"],
    ],
    [
      "a holder misses it for the second time",
      seen({ holder: holder(1) }),
      "verified",
      "publishing",
      ["overtake_holder", "publish_route"],
    ],
    ["only the holder has its own", seen({ proof: "absent", holder: null }), "pending", "not_routed", []],
  ] as const)("when %s", (_, event, status, route, actions) => {
    expect(outcome(pending, event)).toMatchObject({ status, route, actions, connection: "waiting_for_dns" });
  });

  test("expires after seven days, even if the record appears at that moment", () => {
    const late = T0 + 7 * DAY;
    expect(outcome(pending, { kind: "expiry_due" }, late - 1).status).toBe("pending");
    expect(outcome(pending, { kind: "expiry_due" }, late).status).toBe("expired");
    expect(outcome(pending, seen({}), late).status).toBe("expired");
    expect(outcome(pending, { kind: "expiry_due" }, late)).toMatchObject({ connection: "action_needed" });
  });

  test("does not expire while the clock is not trusted", () => {
    expect(outcome(pending, { kind: "expiry_due" }, T0 + 400 * DAY, { clockTrusted: false }).status).toBe("pending");
    expect(outcome(pending, seen({ proof: "absent" }), T0 + 400 * DAY, { clockTrusted: false }).status).toBe("pending");
  });

  test("is cancelled at once by its owner", () => {
    const { claim } = decide(pending, { kind: "removal_requested" }, contextAt(T0));
    expect(claim).toMatchObject({
      status: "cancelled",
      routeStatus: "not_routed",
      withdrawnAt: null,
      nextCheckAt: null,
    });
  });
});

describe("a route", () => {
  test("is published and increments the generation", () => {
    const { claim } = decide(publishing, { kind: "route_published" }, contextAt(T0));
    expect(claim).toMatchObject({ routeStatus: "routed", routeGeneration: 1, routeError: null });
  });

  test("whose publication failed is retried within seconds", () => {
    const failed = decide(publishing, { kind: "route_step_failed", error: "taken" }, contextAt(T0)).claim;
    expect(failed).toMatchObject({ routeStatus: "publishing", routeError: "taken" });
    expect(failed.nextCheckAt! - T0).toBeLessThan(10_000);
    expect(outcome(failed, seen({ addresses: "ours" })).actions).toEqual(["publish_route"]);
  });

  test("is removed when its claim is withdrawn, which is then cancelled", () => {
    const withdrawn = decide(aConnected(), { kind: "removal_requested" }, contextAt(T0 + 5)).claim;
    expect(withdrawn).toMatchObject({
      status: "verified",
      routeStatus: "removing",
      withdrawnAt: T0 + 5,
      removalRequestedAt: T0 + 5,
      nextCheckAt: T0 + 5,
    });
    expect(connectionStatus(withdrawn)).toBe("updating");
    const gone = decide(withdrawn, { kind: "route_removed" }, contextAt(T0 + 9)).claim;
    expect(gone).toMatchObject({ status: "cancelled", routeStatus: "removed", effectiveMode: null, nextCheckAt: null });
    expect(connectionStatus(gone)).toBe("waiting_for_dns");
  });
});

describe("a routed claim that was never connected, with TLS off", () => {
  test.each([
    [{ addresses: "NXDOMAIN" }, "waiting_for_dns", "-"],
    [{ addresses: "no data" }, "waiting_for_dns", "-"],
    [{ addresses: "elsewhere" }, "waiting_for_dns", "-"],
    [{ addresses: "ours+elsewhere" }, "waiting_for_dns", "-"],
    [{ addresses: "ours+edge" }, "waiting_for_dns", "-"],
    [{ addresses: "SERVFAIL" }, "waiting_for_dns", "-"],
    [{ addresses: "ours", http: "returned" }, "connected", "direct"],
    [{ addresses: "edge", http: "returned" }, "connected", "proxy"],
    [{ addresses: "ours", http: "closed" }, "action_needed", "-"],
    [{ addresses: "ours", http: "stranger" }, "action_needed", "-"],
    [{ addresses: "edge", http: "525" }, "action_needed", "-"],
    [{ addresses: "ours", http: null }, "securing", "-"],
  ] as const)("%j is %s", (words, connection, mode) => {
    const result = outcome(aRouted(), seen(words));
    expect(result.connection).toBe(connection);
    expect(result.modes).toStartWith(`${mode}>-`);
  });
});

describe("certificates", () => {
  const acme = { tls: "acme" } as const;
  test.each([
    ["is ordered once HTTP came back", { http: "returned", certificate: "none" }, "securing", ["request_certificate"]],
    ["is not ordered before", { http: "closed", certificate: "none" }, "action_needed", []],
    ["is needed, whatever HTTPS says", { http: "closed", https: "returned", certificate: "none" }, "action_needed", []],
    ["is waited for", { http: "returned", certificate: "ordering" }, "securing", []],
    ["that cannot be had is an error", { http: "returned", certificate: "failed" }, "action_needed", []],
    ["makes a connection", { http: "returned", https: "returned", certificate: "ready" }, "connected", []],
    ["must be presented", { http: "returned", https: "wrong certificate", certificate: "ready" }, "action_needed", []],
    ["does not help a closed port", { http: "returned", https: "closed", certificate: "ready" }, "action_needed", []],
  ] as const)("a certificate %s", (_, words, connection, actions) => {
    expect(outcome(aRouted(), seen({ addresses: "ours", ...words }), T0, acme)).toMatchObject({ connection, actions });
  });

  test("a certificate that is ordered again is checked soon after", () => {
    const tired = aRouted({ backoff: "failing", attempts: 9, nextCheckAt: T0 });
    const failed = seen({ addresses: "ours", http: "returned", certificate: "failed", nextTryAt: T0 + 2 * MINUTE });
    const { claim } = decide(tired, failed, contextAt(T0, acme));
    expect(claim.nextCheckAt! - T0).toBeWithin(2 * MINUTE, 3 * MINUTE);
  });

  test("a connected hostname without one is securing until it is ready, even while a resolver fails", () => {
    const without = seen({ addresses: "ours", http: "returned", certificate: "none" });
    const waiting = decide(aConnected(), without, contextAt(T0, acme));
    expect([connectionStatus(waiting.claim), waiting.actions]).toEqual(["securing", ["request_certificate"]]);
    expect(waiting.claim.activationError).toBeNull();
    const unknown = decide(waiting.claim, seen({ addresses: "SERVFAIL" }), contextAt(T0 + MINUTE, acme));
    expect(connectionStatus(unknown.claim)).toBe("securing");
    const there = seen({ addresses: "ours", http: "returned", https: "returned", certificate: "ready" });
    expect(outcome(unknown.claim, there, T0 + 2 * MINUTE, acme).connection).toBe("connected");
  });

  test.each([
    ["connected", "ours", aConnected()],
    ["connected", "ours+edge", aConnected()],
    ["new", "ours", aRouted({ attempts: 9, nextCheckAt: T0 })],
  ] as const)("a %s name at %s needs action as long as another certificate is presented", (_, addresses, before) => {
    const look = (https: "wrong certificate" | "closed") =>
      seen({ addresses, http: "returned", https, certificate: "ready" });
    const statuses: string[] = [];
    let claim: Claim = before;
    for (const https of ["wrong certificate", "wrong certificate", "closed", "wrong certificate"] as const) {
      claim = decide(claim, look(https), contextAt(claim.nextCheckAt ?? T0, acme)).claim;
      statuses.push(connectionStatus(claim));
    }
    expect(statuses).toEqual(Array(4).fill("action_needed"));
    expect(claim.activationError).toStartWith("https://www.example.org presents a certificate for other names");
    const mended = seen({ addresses: "ours", http: "returned", https: "returned", certificate: "ready" });
    expect(outcome(claim, mended, T0 + DAY, acme).connection).toBe("connected");
  });

  test("behind an edge that forwards no HTTP is not ordered, because the edge's own is enough", () => {
    const words = { addresses: "edge", http: "loop", https: "returned", certificate: "none" } as const;
    expect(outcome(aRouted(), seen(words), T0, acme)).toMatchObject({ connection: "connected", actions: [] });
  });

  test.each(["manual", "internal"] as const)("with TLS %s only the HTTPS probe counts", (tls) => {
    const verdictFor = (https: "returned" | "closed") =>
      outcome(aRouted(), seen({ addresses: "ours", http: "closed", https }), T0, { tls }).connection;
    expect([verdictFor("returned"), verdictFor("closed")]).toEqual(["connected", "action_needed"]);
  });
});

describe("a hostname that became reserved through new settings", () => {
  const own = { baseHost: "pages.example.net", sitesDomain: "example.org" };
  test.each([
    ["connected", aConnected(), "action_needed"],
    ["pending", pending, "waiting_for_dns"],
  ] as const)("is reported while the claim is %s, until the settings are restored", (_, claim, connection) => {
    const look = seen({ addresses: "ours", http: "returned" });
    const taken = decide(claim, look, contextAt(T0, { own }));
    expect([taken.claim.status, connectionStatus(taken.claim)]).toEqual([claim.status, connection]);
    expect(taken.claim.lastError).toStartWith("www.example.org belongs to this server: ");
    expect(decide(taken.claim, look, contextAt(T0 + MINUTE)).claim.lastError).toBeNull();
  });

  test("is reported during a transition too, which restarts once the settings are restored", () => {
    const look = seen({ addresses: "edge", http: "closed" });
    const failing = decide(moving, look, contextAt(T0)).claim;
    const taken = decide(failing, look, contextAt(T0 + MINUTE, { own })).claim;
    expect(connectionStatus(taken)).toBe("action_needed");
    expect(taken).toMatchObject({
      mode: "direct",
      targetMode: null,
      transitionDeadlineAt: null,
      activationError: null,
    });
    const later = decide(taken, look, contextAt(T0 + HOUR, { own })).claim;
    expect([taken.misroutedSince, later.misroutedSince]).toEqual([T0 + MINUTE, T0 + MINUTE]);
    const back = decide(taken, look, contextAt(T0 + DAY)).claim;
    expect(back).toMatchObject({ mode: "proxy", targetMode: "proxy", transitionDeadlineAt: T0 + DAY + HOUR });
  });

  test.each([
    ["example.net", "www.example.org", "another base URL"],
    ["example.org", "www.example.org", "another base URL"],
    ["example.org", "pages.example.net", "another sites domain"],
  ])(
    "is reported with what to ask the operator for (sites domain %s, base host %s)",
    (sitesDomain, baseHost, advice) => {
      const look = seen({ addresses: "ours", http: "returned" });
      const { lastError } = decide(aConnected(), look, contextAt(T0, { own: { baseHost, sitesDomain } })).claim;
      expect(lastError).toEndWith(`Remove the claim, or ask the operator for ${advice}.`);
    },
  );
});

describe("a connected claim", () => {
  test.each([
    ["SERVFAIL changes nothing but what was seen", { addresses: "SERVFAIL" }, "connected", "direct>- seen unavailable"],
    ["so does silence", { proof: "silent", addresses: "silent" }, "connected", "direct>- seen unavailable"],
    ["the first NXDOMAIN needs action", { addresses: "NXDOMAIN" }, "action_needed", "direct>- seen unavailable"],
    ["so do addresses elsewhere", { addresses: "elsewhere" }, "action_needed", "direct>- seen unsupported"],
    [
      "a missing TXT record alone does not",
      { proof: "absent", addresses: "ours", http: "returned" },
      "connected",
      "direct>- seen direct",
    ],
    ["a probe that fails does", { addresses: "ours", http: "closed" }, "action_needed", "direct>- seen direct"],
    ["both modes together change nothing", { addresses: "ours+edge" }, "connected", "direct>- seen mixed"],
    [
      "unless one of both ways fails",
      { addresses: "ours+edge", http: "closed" },
      "action_needed",
      "direct>- seen mixed",
    ],
    [
      "the edge's addresses start a transition",
      { addresses: "edge", http: "closed" },
      "updating",
      "direct>proxy seen proxy",
    ],
    [
      "which ends at once if the edge responds",
      { addresses: "edge", http: "returned" },
      "connected",
      "proxy>- seen proxy",
    ],
  ] as const)("%s", (_, words, connection, modes) => {
    expect(outcome(aConnected(), seen(words))).toMatchObject({
      status: "verified",
      route: "routed",
      connection,
      modes,
    });
  });

  test.each(["ours+edge", "elsewhere"] as const)(
    "with addresses at %s does not keep the reason of an earlier probe",
    (addresses) => {
      const before = aConnected({ activationError: "connection refused" });
      const { claim } = decide(before, seen({ addresses, http: "returned" }), contextAt(T0));
      expect(claim.activationError).toBeNull();
    },
  );

  test("with a failing resolver changes only last_error and observed_mode", () => {
    const before = aConnected({ diagnostics: null, recordsGoneSince: null });
    const { claim } = decide(before, seen({ proof: "SERVFAIL", addresses: "SERVFAIL" }), contextAt(T0 + 5));
    const { lastError, observedMode, lastCheckedAt, backoff, attempts, nextCheckAt, ...rest } = claim;
    expect(before).toMatchObject(rest);
    expect(lastError).toContain("SERVFAIL");
  });

  test("is lost when record and addresses were missing for seven days", () => {
    const gone = seen({ proof: "absent", addresses: "NXDOMAIN" });
    const first = decide(aConnected(), gone, contextAt(T0)).claim;
    expect(first.recordsGoneSince).toBe(T0);
    const late = T0 + 7 * DAY;
    expect(outcome(first, gone, late - 1)).toMatchObject({ status: "verified", route: "routed" });
    expect(outcome(first, gone, late)).toMatchObject({ status: "cancelled", route: "removing" });
    expect(outcome(first, gone, late, { clockTrusted: false })).toMatchObject({ status: "verified" });
    expect(outcome(first, seen({ addresses: "SERVFAIL" }), late)).toMatchObject({ status: "verified" });
    const unseen = seen({ proof: "SERVFAIL", addresses: "NXDOMAIN" });
    expect(outcome(first, unseen, late)).toMatchObject({ status: "verified", route: "routed" });
    expect(first.nextCheckAt).toBeLessThanOrEqual(late);
  });

  test.each([
    ["the record is back", { proof: "present", addresses: "NXDOMAIN" }],
    ["an address is back", { proof: "absent", addresses: "ours+elsewhere" }],
  ] as const)("is not lost when %s", (_, words) => {
    const first = decide(aConnected(), seen({ proof: "absent", addresses: "NXDOMAIN" }), contextAt(T0)).claim;
    expect(decide(first, seen(words), contextAt(T0 + DAY)).claim.recordsGoneSince).toBeNull();
  });

  test("that leads elsewhere does so since the first check that saw it, until a probe arrives", () => {
    const away = seen({ addresses: "elsewhere" });
    const first = decide(aConnected(), away, contextAt(T0)).claim;
    const second = decide(first, away, contextAt(T0 + HOUR)).claim;
    expect([first.misroutedSince, second.misroutedSince]).toEqual([T0, T0]);
    const back = decide(second, seen({ addresses: "ours", http: "returned" }), contextAt(T0 + 2 * HOUR)).claim;
    expect(back.misroutedSince).toBeNull();
  });

  test("that has lost both reports each record and the deadline", () => {
    const gone = decide(aConnected(), seen({ proof: "absent", addresses: "NXDOMAIN" }), contextAt(T0)).claim;
    const [addresses, proof, end] = ["has no address", `token=${"a".repeat(32)} is gone`, "2026-01-08T00:00:00.000Z"];
    expect(gone.lastError).toMatch(
      new RegExp(`^www.example.org ${addresses}.*Besides, the TXT record.*${proof}.*is removed at ${end}\\.$`),
    );
    const behindEdge = aConnected({ effectiveMode: "proxy" });
    const sold = seen({ proof: "absent", addresses: "edge", http: "stranger" });
    expect(decide(behindEdge, sold, contextAt(T0)).claim.lastError).toContain(`the domain is removed at ${end}.`);
  });

  test("is lost behind an edge that does not reach this server, once its record was missing for seven days", () => {
    const behindEdge = aConnected({ effectiveMode: "proxy" });
    const sold = seen({ proof: "absent", addresses: "edge", http: "stranger" });
    const first = decide(behindEdge, sold, contextAt(T0)).claim;
    expect(first.recordsGoneSince).toBe(T0);
    expect(outcome(first, sold, T0 + 7 * DAY)).toMatchObject({ status: "cancelled", route: "removing" });
    const back = seen({ proof: "absent", addresses: "edge", http: "returned" });
    expect(decide(first, back, contextAt(T0 + 7 * DAY)).claim).toMatchObject({
      status: "verified",
      recordsGoneSince: null,
    });
    const kept = seen({ addresses: "edge", http: "stranger" });
    expect(decide(behindEdge, kept, contextAt(T0)).claim.recordsGoneSince).toBeNull();
  });

  test("is not lost because a check had no time for a probe", () => {
    const behindEdge = aConnected({ effectiveMode: "proxy", recordsGoneSince: T0 });
    const unprobed = seen({ proof: "absent", addresses: "edge", http: null });
    expect(outcome(behindEdge, unprobed, T0 + 7 * DAY)).toMatchObject({ status: "verified", connection: "connected" });
    const { recordsGoneSince } = decide({ ...behindEdge, recordsGoneSince: null }, unprobed, contextAt(T0)).claim;
    expect(recordsGoneSince).toBeNull();
  });

  test.each([
    ["leads here again", { addresses: "elsewhere" }, { addresses: "ours", http: null }],
    ["leads both ways", { addresses: "NXDOMAIN" }, { addresses: "ours+edge", http: null }],
    ["moves", { addresses: "elsewhere" }, { addresses: "edge", http: null }],
  ] as const)("that needs action does so until a probe succeeds, also when it %s", (_, words, later) => {
    const astray = decide(aConnected(), seen(words), contextAt(T0)).claim;
    const unprobed = decide(astray, seen(later), contextAt(T0 + MINUTE)).claim;
    expect([connectionStatus(astray), connectionStatus(unprobed)]).toEqual(["action_needed", "action_needed"]);
    const back = outcome(unprobed, seen({ addresses: "ours", http: "returned" }), T0 + 2 * MINUTE);
    expect(back).toMatchObject({ connection: "connected", modes: "direct>- seen direct" });
  });

  test("is lost to another claim that proved the name", () => {
    expect(outcome(aConnected(), { kind: "overtaken" })).toMatchObject({
      status: "cancelled",
      route: "removing",
      connection: "action_needed",
    });
  });
});

describe("a transition", () => {
  const stillFailing = seen({ addresses: "edge", http: "closed" });

  test("has one hour, then needs action, and still succeeds when the new mode works", () => {
    expect(outcome(moving, stillFailing, T0 + HOUR - 1).connection).toBe("updating");
    const missed = decide(moving, stillFailing, contextAt(T0 + HOUR)).claim;
    expect(connectionStatus(missed)).toBe("action_needed");
    expect(missed.transitionError).toContain("connection refused");
    expect(missed.targetMode).toBe("proxy");
    const late = outcome(missed, seen({ addresses: "edge", http: "returned" }), T0 + 2 * HOUR);
    expect(late).toMatchObject({ connection: "connected", modes: "proxy>- seen proxy" });
  });

  test("is checked within seconds of its start, whenever the next check was planned", () => {
    const resting = aConnected({ nextCheckAt: T0 + 20 * HOUR });
    const started = decide(resting, stillFailing, contextAt(T0)).claim;
    expect(started.targetMode).toBe("proxy");
    expect(started.nextCheckAt! - T0).toBeLessThan(MINUTE);
  });

  test("that succeeds clears all of its fields", () => {
    const { claim } = decide(moving, seen({ addresses: "edge", http: "returned" }), contextAt(T0 + 5));
    expect(claim).toMatchObject({
      mode: "proxy",
      effectiveMode: "proxy",
      targetMode: null,
      transitionStartedAt: null,
      transitionDeadlineAt: null,
      transitionError: null,
    });
  });

  test("ends by itself when DNS returns to the old mode", () => {
    const back = decide(moving, seen({ addresses: "ours", http: "returned" }), contextAt(T0 + 5)).claim;
    expect(back).toMatchObject({
      mode: "direct",
      effectiveMode: "direct",
      targetMode: null,
      transitionStartedAt: null,
    });
    expect(connectionStatus(back)).toBe("connected");
  });

  test("continues when DNS returns to the old mode and no probe was made", () => {
    const failing = decide(moving, stillFailing, contextAt(T0)).claim;
    const back = decide(failing, seen({ addresses: "ours", http: null }), contextAt(T0 + 5)).claim;
    expect(back).toMatchObject({ targetMode: "proxy", observedMode: "direct", backoff: "moving" });
    expect(back.activationError).toBe(failing.activationError);
    const missed = decide(back, seen({ addresses: "ours", http: null }), contextAt(T0 + HOUR)).claim;
    expect(connectionStatus(missed)).toBe("action_needed");
    expect(missed.transitionError).toContain("connection refused");
  });

  test("continues while DNS shows both modes", () => {
    expect(outcome(moving, seen({ addresses: "ours+edge" }))).toMatchObject({ modes: "direct>proxy seen mixed" });
  });

  test("that was cancelled keeps the effective mode and does not restart until DNS changes again", () => {
    const kept = decide(moving, { kind: "transition_cancelled" }, contextAt(T0 + 5)).claim;
    expect(kept).toMatchObject({
      mode: "direct",
      effectiveMode: "direct",
      targetMode: null,
      transitionStartedAt: null,
    });
    expect(connectionStatus(kept)).toBe("connected");
    const same = decide(kept, seen({ addresses: "edge", http: "returned" }), contextAt(T0 + 9)).claim;
    expect(same).toMatchObject({ mode: "direct", effectiveMode: "direct", targetMode: null, observedMode: "proxy" });
    const failing = decide(same, seen({ addresses: "SERVFAIL" }), contextAt(T0 + 10)).claim;
    expect(decide(failing, stillFailing, contextAt(T0 + 11)).claim.targetMode).toBeNull();
    const back = decide(same, seen({ addresses: "ours", http: "returned" }), contextAt(T0 + 12)).claim;
    expect(decide(back, stillFailing, contextAt(T0 + 13)).claim.targetMode).toBe("proxy");
  });

  test("gets a new hour by a retry, while it runs and after it was cancelled", () => {
    const now = T0 + 30 * MINUTE;
    const kept = decide(moving, { kind: "transition_cancelled" }, contextAt(T0 + 5)).claim;
    for (const claim of [moving, kept, { ...moving, transitionError: "missed" }]) {
      expect(decide(claim, { kind: "transition_retried" }, contextAt(now)).claim).toMatchObject({
        mode: "proxy",
        targetMode: "proxy",
        transitionStartedAt: now,
        transitionDeadlineAt: now + HOUR,
        transitionError: null,
        nextCheckAt: now,
      });
    }
  });

  test.each([
    ["cancel", "a claim at rest", aConnected(), "transition_cancelled"],
    ["retry", "a claim at rest", aConnected(), "transition_retried"],
    ["cancel", "a claim never connected", aRouted(), "transition_cancelled"],
    ["retry", "a claim never connected", aRouted({ observedMode: "proxy" }), "transition_retried"],
    ["retry", "a name that has no address", aConnected({ observedMode: "unavailable" }), "transition_retried"],
    ["cancel", "a withdrawn claim", removing, "transition_cancelled"],
    ["retry", "an ended claim", removed, "transition_retried"],
    ["retry", "a pending claim", pending, "transition_retried"],
  ] as const)("to %s: there is none of %s", (_, __, claim, kind) => {
    expect(() => decide(claim, { kind }, contextAt(T0))).toThrow(DomainError);
  });
});

describe("impossible events leave the claim unchanged", () => {
  const ended = { expired, cancelled, removed };
  const states = { pending, publishing, routed: aRouted(), connected: aConnected(), moving, removing, ...ended };
  const looks: ClaimEvent[] = [
    seen({ addresses: "ours", http: "returned" }),
    seen({ proof: "absent", addresses: "NXDOMAIN" }),
    seen({ holder: { proofMisses: 9, proofPresent: false } }),
  ];
  const nothing: [keyof typeof states, ClaimEvent][] = [
    ...Object.keys(ended).flatMap((state) =>
      [
        ...looks,
        { kind: "expiry_due" } as const,
        { kind: "route_published" } as const,
        { kind: "route_removed" } as const,
        { kind: "route_step_failed", error: "x" } as const,
        { kind: "removal_requested" } as const,
        { kind: "proof_missed_by_other" } as const,
        { kind: "overtaken" } as const,
      ].map((event): [keyof typeof states, ClaimEvent] => [state as keyof typeof states, event]),
    ),
    ...looks.map((look): [keyof typeof states, ClaimEvent] => ["removing", look]),
    ["removing", { kind: "removal_requested" }],
    ["removing", { kind: "route_published" }],
    ["pending", { kind: "route_published" }],
    ["pending", { kind: "route_removed" }],
    ["pending", { kind: "overtaken" }],
    ["pending", { kind: "proof_missed_by_other" }],
    ["publishing", { kind: "route_removed" }],
    ["connected", { kind: "route_published" }],
    ["connected", { kind: "route_removed" }],
    ["connected", { kind: "route_step_failed", error: "x" }],
    ["connected", { kind: "expiry_due" }],
    ["moving", { kind: "expiry_due" }],
  ];
  test.each(nothing)("%s: %j", (state, event) => {
    const decision = decide(states[state], event, contextAt(T0 + 400 * DAY));
    expect(decision.claim).toEqual(states[state]);
    expect(decision.actions).toEqual([]);
  });
});
