import { beforeEach, expect, test } from "bun:test";
import type { FileOutline } from "../../domain/model/file-facts.ts";
import type { ComparedReport } from "../../domain/model/report.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession } from "./people.ts";
import { publishDeployment } from "./publication.ts";
import { webhookOf } from "./records.ts";

const digest = (n: number) => `${n}`.padStart(64, "0");

const REPORT: ComparedReport = {
  counts: { error: 1, warning: 2, note: 0 },
  findings: [{ code: "broken_link", file: "a.html", line: 1, message: "x", target: "/y", isNew: true }],
  totals: { pages: 1, links: 3, bytes: 100, largest: [{ path: "a.html", bytes: 100 }] },
  notChecked: 0,
  basis: null,
  newErrors: 1,
  newWarnings: 0,
};

const FACTS = { base: null, references: [], secrets: [], problem: null };
const OUTLINE = { links: 3, anchors: Uint32Array.of(7, 2 ** 32 - 1) };

/** The contract of reports. `current` returns the store of the running test, which is empty at first; `other` a second connection. */
export function reportContract(current: () => Store, other: () => Store): void {
  let ownerId: number;
  let sessionId: number;
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "alice")).id;
    sessionId = await addSession(current(), ownerId);
  });

  const publish = async (siteName: string, isPreview = false) => {
    const files = [{ path: "a.html", digest: digest(1), size: 100 }];
    const facts = { siteName, ownerId, sessionId, files, createdAt: 10, isPreview };
    return (await publishDeployment(current(), facts)).deployment;
  };
  const claim = (holder: string, now: number, store = current()) =>
    store.reports.claim({ holder, now, until: now + 10 });
  const claimed = async (holder: string, now: number, store = current()) => {
    const found = await claim(holder, now, store);
    return found && `${found.siteName} ${found.number} attempt ${found.attempts} epoch ${found.epoch}`;
  };
  const isPending = (holder: string, now: number) => current().reports.isPending({ holder, now });

  test("are pending from the publication on, the oldest first, and each is claimed once", async () => {
    await publish("one");
    await publish("two");
    expect([await isPending("here", 0), await claimed("here", 0)]).toEqual([true, "one 1 attempt 1 epoch 1"]);
    expect(await claimed("there", 1, other())).toBe("two 1 attempt 1 epoch 1");
    expect([await isPending("third", 5), await claimed("third", 5)]).toEqual([false, null]);
    expect([await isPending("third", 10), await claimed("third", 10)]).toEqual([true, "one 1 attempt 2 epoch 2"]);
    expect(await claimed("there", 11)).toBe("two 1 attempt 2 epoch 2");
  });

  test("can be claimed by one of two makers at once", async () => {
    await publish("one");
    const claims = await Promise.all([claimed("here", 0), claimed("there", 0, other())]);
    expect(claims.filter((found) => found !== null)).toHaveLength(1);
  });

  test("can be given back until a time, and that counts as an attempt or not", async () => {
    await publish("one");
    const first = (await claim("here", 0))!;
    await current().reports.giveBack(first, 5, false);
    expect([await claimed("here", 4), await claimed("here", 5)]).toEqual([null, "one 1 attempt 1 epoch 2"]);
    await current().reports.giveBack((await claim("here", 6))!, 7, true);
    expect(await claimed("there", 7)).toBe("one 1 attempt 3 epoch 4");
  });

  test("are recorded once, by the last who claimed them", async () => {
    const { id } = await publish("one");
    const [late, last] = [(await claim("here", 0))!, (await claim("there", 20))!];
    const { reports } = current();
    expect(await reports.find(id)).toEqual({ status: "pending", baseline: null, report: null, isCompared: false });
    expect([await reports.record(late, REPORT, 21), await reports.record(last, REPORT, 22)]).toEqual([false, true]);
    expect(await reports.record(last, null, 23)).toBe(false);
    expect(await reports.find(id)).toEqual({ status: "ready", baseline: null, report: REPORT, isCompared: true });
    expect([await isPending("here", 99), await claim("here", 99)]).toEqual([false, null]);
  });

  test("that cannot be made have failed for good", async () => {
    const { id, siteId } = await publish("one", true);
    await current().reports.record((await claim("here", 0))!, null, 1);
    await publish("one");
    await current().deployments.activate(siteId, 1, 30);
    expect(await current().reports.find(id)).toMatchObject({ status: "failed", report: null });
  });

  test("are compared with what was live, and again after an activation", async () => {
    const { reports, deployments } = current();
    const one = await publish("site");
    const two = await publish("site", true);
    const three = await publish("site");
    const baselineOf = async ({ id }: { id: number }) => (await reports.find(id))?.baseline;
    expect(await Promise.all([one, two, three].map(baselineOf))).toEqual([
      null,
      { deploymentId: one.id, number: 1 },
      { deploymentId: one.id, number: 1 },
    ]);
    for (const _ of [1, 2, 3]) await reports.record((await claim("here", 0))!, REPORT, 1);
    await deployments.activate(one.siteId, 3, 40);
    expect(await isPending("here", 99)).toBe(false);
    await deployments.activate(one.siteId, 2, 41);
    expect(await reports.find(two.id)).toEqual({
      status: "ready",
      baseline: { deploymentId: three.id, number: 3 },
      report: REPORT,
      isCompared: false,
    });
    const again = (await claim("here", 50))!;
    expect(again).toMatchObject({ number: 2, isMade: true, attempts: 1, baseline: { number: 3 } });
    await deployments.activate(one.siteId, 1, 51);
    await deployments.activate(one.siteId, 2, 52);
    await reports.record(again, REPORT, 53);
    expect(await reports.find(two.id)).toMatchObject({ baseline: { number: 1 }, isCompared: false });
  });

  test("are not compared again with the same deployment", async () => {
    const { reports, deployments } = current();
    const { siteId } = await publish("site");
    const two = await publish("site");
    for (const _ of [1, 2]) await reports.record((await claim("here", 0))!, REPORT, 1);
    for (const number of [1, 2]) await deployments.activate(siteId, number, 40);
    expect(await reports.find(two.id)).toMatchObject({ baseline: { number: 1 }, isCompared: true });
  });

  test("are added to deployments without one, and deleted with them", async () => {
    const { reports, retention } = current();
    const one = await publish("site");
    await publish("site");
    await reports.request(one.id);
    const waiting = (await claim("here", 0))!;
    expect(waiting.deploymentId).toBe(one.id);
    await retention.deleteDeployments(one.siteId, [one.id], 30);
    expect([await reports.find(one.id), await reports.record(waiting, REPORT, 1)]).toEqual([null, false]);
    await reports.request(one.id);
    expect(await reports.find(one.id)).toBeNull();
  });

  test("are an event for webhooks and streams once they are ready", async () => {
    const { siteId, id } = await publish("site");
    await current().webhooks.add(webhookOf(siteId), 9);
    const before = await current().liveEvents.newestId();
    await current().reports.record((await claim("here", 0))!, REPORT, 77);
    const events = await current().liveEvents.after(before, 1e9, 9);
    expect(events).toMatchObject([{ type: "report.ready", details: { deployment_number: 1 } }]);
    const [delivery] = await current().webhooks.listDeliveries("all", { limit: 9, before: null });
    expect(delivery?.event.data).toEqual({
      site_name: "site",
      deployment_number: 1,
      errors: 1,
      warnings: 2,
      new_errors: 1,
    });
    expect(id).toBeGreaterThan(0);
  });

  test("share facts of contents, by how they are read", async () => {
    await publish("one");
    const { reports } = current();
    const facts = (n: number, reader: "page" | "text" = "page") => reports.facts(reader, [digest(n), digest(9)]);
    const outlines = async (reader: "page" | "text") => [...(await reports.outlines(reader, [digest(1), digest(2)]))];
    const keep = (n: number, base: string | null, outline: FileOutline) =>
      reports.keepFacts([{ digest: digest(n), reader: "page", facts: { ...FACTS, base }, outline }]);
    expect((await facts(1)).size).toBe(0);
    for (const n of [1, 2]) await keep(n, null, OUTLINE);
    expect([...(await facts(1))]).toEqual([[digest(1), FACTS]]);
    expect([(await facts(1, "text")).size, (await facts(2)).size]).toEqual([0, 0]);
    expect([await outlines("page"), await outlines("text")]).toEqual([[[digest(1), OUTLINE]], []]);
    await keep(1, "/x", { links: 0, anchors: null });
    expect((await facts(1)).get(digest(1))?.base).toBe("/x");
    expect(await outlines("page")).toEqual([[digest(1), { links: 0, anchors: null }]]);
    const large = Array.from({ length: 100_000 }, () => crypto.randomUUID()).join("");
    await keep(1, large, OUTLINE);
    expect([(await facts(1)).size, await outlines("page")]).toEqual([0, [[digest(1), OUTLINE]]]);
  });
}
