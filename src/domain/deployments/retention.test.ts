import { describe, expect, test } from "bun:test";
import { policyInForce, type RetentionPolicy } from "../model/retention.ts";
import type { RetainedDeployment, RetentionStore } from "../ports/store/retention.ts";
import { DAY } from "../timestamp.ts";
import { applyRetention, expendable } from "./retention.ts";

const NOW = Date.UTC(2026, 10, 21);

/** Ten deployments, one every ten days. Each replaced the previous one, and today's is active. */
const history: readonly RetainedDeployment[] = Array.from({ length: 10 }, (_, index) => {
  const madeAt = NOW - (9 - index) * 10 * DAY;
  const last = index === 9;
  return {
    id: 100 + index,
    number: index + 1,
    active: last,
    createdAt: madeAt,
    activatedAt: madeAt,
    replacedAt: last ? null : madeAt + 10 * DAY,
    pinned: false,
    aliased: false,
  };
});

const given = (policy: Partial<RetentionPolicy>, deployments = history) =>
  expendable(deployments, { last: null, days: null, graceMs: 7 * DAY, ...policy }, NOW).map(({ number }) => number);

const changed = (number: number, change: Partial<RetainedDeployment>) =>
  history.map((deployment) => (deployment.number === number ? { ...deployment, ...change } : deployment));

describe("retention", () => {
  test.each<[string, Partial<RetentionPolicy>, number[]]>([
    ["without a rule everything stays", {}, []],
    ["the newest three stay", { last: 3 }, [7, 6, 5, 4, 3, 2, 1]],
    ["the active one and the one before stay, whatever the rule", { last: 1 }, [8, 7, 6, 5, 4, 3, 2, 1]],
    ["more than there are", { last: 100 }, []],
    ["what was active within thirty days stays", { days: 30 }, [6, 5, 4, 3, 2, 1]],
    ["either rule keeps", { last: 6, days: 30 }, [4, 3, 2, 1]],
  ])("%s", (_, policy, numbers) => {
    expect(given(policy)).toEqual(numbers);
  });

  test("the age of a deployment counts from its last activation, even if its replacement was not recorded", () => {
    expect(given({ days: 30 }, changed(3, { activatedAt: NOW - 29 * DAY, replacedAt: null }))).not.toContain(3);
    expect(given({ days: 30 }, changed(3, { activatedAt: NOW - 30 * DAY, replacedAt: null }))).toContain(3);
  });

  test("a pinned deployment stays", () => {
    expect(given({ last: 1 }, changed(2, { pinned: true }))).not.toContain(2);
  });

  test("after a roll-back the previously active one stays, so that it can be undone", () => {
    const wentBack = changed(10, { active: false, replacedAt: NOW }).map((deployment) =>
      deployment.number === 4 ? { ...deployment, active: true, activatedAt: NOW, replacedAt: null } : deployment,
    );
    expect(given({ last: 1 }, wentBack)).toEqual([8, 7, 6, 5, 3, 2, 1]);
  });

  test.each([
    [7, 7, true],
    [8, 7, false],
    [30, 30, true],
    [0, 0, true],
    [1, 0, false],
  ])("a deployment that was replaced %d days ago stays with a grace period of %d days: %p", (days, grace, stays) => {
    const replaced = changed(5, { replacedAt: NOW - days * DAY });
    expect(given({ last: 1, graceMs: grace * DAY }, replaced).includes(5)).toBe(!stays);
  });

  test("a site's own grace period holds, and else the server's", () => {
    const standard = { last: 1, days: null, graceMs: 5 };
    const own = { last: null, days: 2 };
    expect(policyInForce(null, standard)).toEqual(standard);
    expect(policyInForce({ ...own, graceDays: null }, standard)).toEqual({ ...own, graceMs: 5 });
    expect(policyInForce({ ...own, graceDays: 0 }, standard)).toEqual({ ...own, graceMs: 0 });
    expect(policyInForce({ ...own, graceDays: 90 }, standard)).toEqual({ ...own, graceMs: 90 * DAY });
  });
});

test("many deployments are deleted a few at a time, the oldest first", async () => {
  const many = Array.from({ length: 25 }, (_, index) => ({ ...history[0]!, id: index + 1, number: index + 1 }));
  const deleted: (readonly number[])[] = [];
  const retention: Partial<RetentionStore> = {
    listSites: async () => [{ siteId: 1, siteName: "demo", policy: null }],
    listDeployments: async () => [...many, ...history.slice(8).map((one) => ({ ...one, number: one.number + 25 }))],
    exclusiveBytes: async () => 5,
    async deleteDeployments(_, ids) {
      deleted.push(ids);
      return ids;
    },
  };
  const ports = { store: { retention: retention as RetentionStore }, clock: { now: () => NOW } };
  const numbers = many.map(({ number }) => number);
  expect(await applyRetention(ports, { last: 1, days: null, graceMs: 7 * DAY }, null)).toEqual([
    { siteName: "demo", numbers, bytes: 5 },
  ]);
  expect(deleted.map(({ length }) => length)).toEqual([10, 10, 5]);
  expect(deleted.flat()).toEqual(numbers);
});
