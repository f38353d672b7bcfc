import { beforeEach, describe, expect, test } from "bun:test";
import { HourCount, MAX_NAMES } from "../../domain/analytics/view-deltas.ts";
import type { ManifestFile } from "../../domain/model/manifest.ts";
import type { Site } from "../../domain/model/site.ts";
import { HOURS_OF_DAY } from "../../domain/model/view-delta.ts";
import { hash32 } from "../../domain/model/visitor-sketch.ts";
import type { Publication } from "../../domain/ports/store/deployments.ts";
import type { Store } from "../../domain/ports/store.ts";
import { DAY } from "../../domain/timestamp.ts";
import { addPerson, addSession } from "./people.ts";
import { publishDeployment } from "./publication.ts";
import { recordEncodings } from "./record-encodings.ts";

const hex = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

/** The contract of files and views. `current` returns the store of the running test, which is empty at first. */
export function hostingContract(current: () => Store): void {
  let ownerId: number;
  let sessionId: number;
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "alice")).id;
    sessionId = await addSession(current(), ownerId);
  });

  const publishFiles = (siteName: string, files: readonly ManifestFile[], more: Partial<Publication> = {}) =>
    publishDeployment(current(), { siteName, ownerId, sessionId, files, actor: "alice", ...more });
  const publish = (name: string, digests: readonly string[], createdAt = 0) =>
    publishFiles(
      name,
      digests.map((digest) => ({ path: digest, digest, size: 100 })),
      { createdAt },
    );

  describe("deployments", () => {
    test("have times in the order of their numbers, whoever read the clock first", async () => {
      const { deployments, sites } = current();
      const times = [50_000, 40_000, 60_000];
      for (const at of times) await publish("diary", [], at);
      const siteId = (await sites.find("diary"))?.id ?? 0;
      const listed = await deployments.list(siteId, { limit: 9, before: null });
      expect(listed.map(({ createdAt }) => createdAt)).toEqual([60_000, 50_000, 50_000]);
      expect(listed.map(({ activatedAt }) => activatedAt)).toEqual([60_000, 50_000, 50_000]);
      expect((await deployments.activate(siteId, 1, 59_000))?.activatedAt).toBe(60_000);
      expect((await sites.find("diary"))?.lastDeployedAt).toBe(60_000);
    });

    test("take over no time from a clock that was wrong", async () => {
      const { deployments } = current();
      const { site } = await publish("diary", [], 400 * DAY);
      expect((await publish("diary", [], 5)).deployment).toMatchObject({ createdAt: 5, activatedAt: 5 });
      expect((await deployments.activate(site.id, 1, 6))?.activatedAt).toBe(6);
    });
  });

  test("a site has no tags at first, then the last ones that were set, in order, in every result", async () => {
    const { sites } = current();
    const { site } = await publish("diary", []);
    expect(site.tags).toEqual([]);
    expect(await sites.setTags(site.id, ["old"])).toBe(true);
    const tags = ["docs", "\u5ba2\u6237", 'a "quoted" one'];
    expect(await sites.setTags(site.id, tags)).toBe(true);
    const again = await publish("diary", []);
    const [listed] = await sites.listOfOwner(ownerId);
    expect([again.site, listed, await sites.find("diary"), await sites.listing("diary", 0)]).toEqual([
      expect.objectContaining({ tags }),
      expect.objectContaining({ tags }),
      expect.objectContaining({ tags }),
      expect.objectContaining({ tags }),
    ]);
    expect(await sites.setTags(site.id + 1, ["x"])).toBe(false);
  });

  test("the route of a site has the grace period of its policy", async () => {
    const { retention, sites } = current();
    const { site } = await publish("diary", []);
    const graceDays = async () => (await sites.findRoute("diary"))?.graceDays;
    expect(await graceDays()).toBeNull();
    for (const days of [0, 90]) {
      await retention.setPolicy(site.id, { last: 1, days: null, graceDays: days });
      expect(await graceDays()).toBe(days);
    }
    await retention.setPolicy(site.id, null);
    expect(await graceDays()).toBeNull();
  });

  describe("files", () => {
    const PATHS = [
      "index.html",
      "a",
      "a/b",
      "A",
      "7",
      "__proto__",
      "constructor",
      'quoted".html',
      "back\\slash",
      "line\nbreak",
      "stra\u00dfe/\u{1f600}.html",
      "cafe\u0301",
      "caf\u00e9",
      "\uffff",
    ];
    const fileOf = (path: string) => ({ path, digest: hex(path), size: path.length });

    test("are found by their exact names, one by one and together", async () => {
      const { deployments, files } = current();
      const { deployment } = await publishFiles("names", PATHS.map(fileOf));
      for (const path of PATHS) {
        expect(files.find(deployment.id, path)).toEqual({
          ...fileOf(path),
          encodings: {},
          isEncoded: false,
          isLegacyText: false,
        });
        expect(files.has(deployment.id, path)).toBe(true);
      }
      for (const path of ["", "b", "a/", "a/B", "INDEX.html", "toString", "caf"]) {
        expect([files.find(deployment.id, path), files.has(deployment.id, path)]).toEqual([null, false]);
      }
      const manifest = await deployments.manifest(deployment.id);
      const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);
      expect(manifest?.files.toSorted(byPath)).toEqual(PATHS.map(fileOf).toSorted(byPath));
    });

    test("are legacy texts if one of their deployments says so", async () => {
      const { files } = current();
      const [known, added, other] = ["a.txt", "b.txt", "c.txt"].map(fileOf) as [
        ManifestFile,
        ManifestFile,
        ManifestFile,
      ];
      const former = (await publishFiles("texts", [known, other])).deployment;
      const legacyTexts = [known.digest, added.digest];
      const latest = (await publishFiles("texts", [known, added, other], { reused: [known.digest], legacyTexts }))
        .deployment;
      const isLegacy = (id: number) => (path: string) => files.find(id, path)?.isLegacyText;
      expect(["a.txt", "b.txt", "c.txt"].map(isLegacy(latest.id))).toEqual([true, true, false]);
      expect(["a.txt", "c.txt"].map(isLegacy(former.id))).toEqual([true, false]);
      // Also in deployments that do not say so.
      const again = await publishFiles("texts", [known], { reused: [known.digest] });
      expect(isLegacy(again.deployment.id)("a.txt")).toBe(true);
    });

    test("with the same content are stored for each path, and thousands can be added", async () => {
      const { deployments, files } = current();
      const many = Array.from({ length: 2500 }, (_, n) => ({ path: `${n}.txt`, digest: hex(`${n % 7}`), size: 1 }));
      const { deployment } = await publishFiles("many", many);
      expect((await deployments.manifest(deployment.id))?.files).toHaveLength(2500);
      expect(files.find(deployment.id, "2499.txt")).toMatchObject(many[2499]!);
      // Again, with known content.
      const reused = [...new Set(many.map(({ digest }) => digest))];
      const again = await publishFiles("many", many, { reused });
      expect(files.find(again.deployment.id, "2498.txt")).toMatchObject(many[2498]!);
    });

    test("are listed by folder and by a text in their path, in pages", async () => {
      const { deployments } = current();
      const of = (path: string, size: number) => ({ path, digest: hex(path), size });
      const { deployment } = await publishFiles("tree", [
        of("index.html", 1),
        of("a/b/one.js", 2),
        of("a/b/two.js", 4),
        of("a/é.txt", 8),
        of("a-b/c.txt", 16),
        of("B.txt", 32),
        of("a0", 64),
        of("a0.txt", 128),
      ]);
      const list = async (within: { folder: string } | { text: string }, after = "", limit = 9) =>
        (await deployments.files(deployment.id, { within, after, limit })).map(
          ({ path, files, size }) => [path, files, size] as const,
        );
      const root = [
        ["B.txt", 1, 32],
        ["a-b/", 1, 16],
        ["a/", 3, 14],
        ["a0", 1, 64],
        ["a0.txt", 1, 128],
        ["index.html", 1, 1],
      ] as const;
      expect(await list({ folder: "" })).toEqual([...root]);
      expect(await list({ folder: "" }, "", 2)).toEqual(root.slice(0, 2));
      expect(await list({ folder: "" }, "a-b/", 2)).toEqual(root.slice(2, 4));
      expect(await list({ folder: "" }, "a0")).toEqual(root.slice(4));
      expect(await list({ folder: "a/" })).toEqual([
        ["a/b/", 2, 6],
        ["a/é.txt", 1, 8],
      ]);
      expect(await list({ folder: "a/" }, "a/b/")).toEqual([["a/é.txt", 1, 8]]);
      expect(await list({ folder: "a/b/" })).toEqual([
        ["a/b/one.js", 1, 2],
        ["a/b/two.js", 1, 4],
      ]);
      expect(await list({ folder: "missing/" })).toEqual([]);
      expect(await list({ text: "B" })).toEqual([
        ["B.txt", 1, 32],
        ["a-b/c.txt", 1, 16],
        ["a/b/one.js", 1, 2],
        ["a/b/two.js", 1, 4],
      ]);
      expect(await list({ text: "%" })).toEqual([]);
      expect(await list({ text: ".txt" }, "B.txt", 1)).toEqual([["a-b/c.txt", 1, 16]]);
    });

    test("are read together in one snapshot, and an error ends it", async () => {
      const { files, sites } = current();
      const { deployment } = await publishFiles("together", [fileOf("a")]);
      const read = files.readTogether(() => [files.has(deployment.id, "a"), files.find(deployment.id, "b")]);
      expect(read).toEqual([true, null]);
      expect(() =>
        files.readTogether(() => {
          throw new Error("of the reader's own");
        }),
      ).toThrow("of the reader's own");
      await publishFiles("together", [fileOf("b")]);
      expect((await sites.find("together"))?.activeDeployment).toBe(2);
    });

    test("are deleted with their deployment", async () => {
      const { files, retention } = current();
      const first = await publishFiles("gone", [fileOf("a")]);
      await publishFiles("gone", [fileOf("a")]);
      await retention.deleteDeployments(first.site.id, [first.deployment.id], 0);
      expect(files.find(first.deployment.id, "a")).toBeNull();
    });
  });

  describe("former files", () => {
    const ASSET = "app-Aa1bB2cC.js";
    const state = (content: string) => [{ path: ASSET, digest: hex(content), size: content.length }];

    test("are those of the deployment of this site that was replaced last", async () => {
      const { files } = current();
      await publishFiles("tabs", state("one"), { createdAt: 1000 });
      await publishFiles("tabs", state("second"), { createdAt: 2000 });
      await recordEncodings(current(), { [hex("second")]: { br: { digest: hex("br"), size: 3 } } });
      const { site } = await publishFiles("tabs", [], { createdAt: 3000 });
      const other = await publishFiles("other", [], { createdAt: 3000 });
      expect(files.findFormer(site.id, ASSET, 0)).toEqual({
        ...state("second")[0]!,
        encodings: { br: { digest: hex("br"), size: 3 } },
        isEncoded: true,
        isLegacyText: false,
      });
      expect(files.findFormer(site.id, "other.js", 0)).toBeNull();
      expect(files.findFormer(other.site.id, ASSET, 0)).toBeNull();
    });

    test("are not those of a deployment that was replaced before the given time", async () => {
      const { files } = current();
      await publishFiles("tabs", state("one"), { createdAt: 1000 });
      const { site } = await publishFiles("tabs", [], { createdAt: 2000 });
      expect(files.findFormer(site.id, ASSET, 2000)).toMatchObject({ size: 3 });
      expect(files.findFormer(site.id, ASSET, 2001)).toBeNull();
    });

    test("are not those of a deployment that is active or was never active", async () => {
      const { deployments, files } = current();
      const { site } = await publishFiles("tabs", state("one"), { createdAt: 1000 });
      expect(files.findFormer(site.id, ASSET, 0)).toBeNull();
      await publishFiles("tabs", [], { createdAt: 2000 });
      await deployments.activate(site.id, 1, 3000);
      expect(files.findFormer(site.id, ASSET, 0)).toBeNull();
    });

    test("are searched in the last fifty of them", async () => {
      const { files } = current();
      await publishFiles("busy", state("one"), { createdAt: 1 });
      for (let n = 2; n <= 51; n++) await publishFiles("busy", [], { createdAt: n });
      const site = await current().sites.find("busy");
      expect(files.findFormer(site!.id, ASSET, 0)).toMatchObject({ size: 3 });
      await publishFiles("busy", [], { createdAt: 52 });
      expect(files.findFormer(site!.id, ASSET, 0)).toBeNull();
    });
  });

  describe("views", () => {
    let site: Site;
    beforeEach(async () => {
      site = (await publish("diary", [])).site;
    });

    const delta = (
      day: number,
      views: number,
      visitors: readonly string[],
      pages: readonly string[] = [],
      hour = 0,
    ) => {
      const counts = { views, botViews: 1, bytes: 10 * views };
      const count = Object.assign(new HourCount(site.id, day * HOURS_OF_DAY + hour), counts);
      for (const visitor of visitors) count.visitors.add(hash32(visitor));
      for (const page of pages) count.countName("page", page);
      return count;
    };

    test("are added up, and visitors of several threads are counted once", async () => {
      const { views, sites } = current();
      await views.addRelaxed([delta(7, 2, ["ann", "bob"])]);
      await views.add([delta(7, 3, ["bob", "eve"]), delta(8, 1, ["ann"])]);
      const days = await views.days(site.id, 7, 8);
      expect(days.map(({ visitors, ...day }) => ({ ...day, visitors: visitors.estimate() }))).toEqual([
        { day: 7, views: 5, botViews: 2, bytes: 50, visitors: 3 },
        { day: 8, views: 1, botViews: 1, bytes: 10, visitors: 1 },
      ]);
      expect((await sites.find("diary"))?.totalViews).toBe(6);
      expect(await views.days(site.id, 8, 8)).toHaveLength(1);
    });

    test("are added up by hour too, while those are kept", async () => {
      const { views } = current();
      await views.add([delta(7, 2, ["ann", "bob"]), delta(7, 4, ["ann"], [], 23), delta(8, 1, ["ann"], [], 1)]);
      await views.addRelaxed([delta(7, 3, ["bob", "eve"])]);
      const hours = async (from: number, to: number) =>
        (await views.hours(site.id, from, to)).map((hour) => ({ ...hour, visitors: hour.visitors.estimate() }));
      expect(await hours(168, 191)).toEqual([
        { hour: 168, views: 5, botViews: 2, bytes: 50, visitors: 3 },
        { hour: 191, views: 4, botViews: 1, bytes: 40, visitors: 1 },
      ]);
      await views.deleteHoursBefore(191);
      expect((await hours(0, 999)).map(({ hour }) => hour)).toEqual([191, 193]);
      expect((await views.days(site.id, 7, 7)).map((day) => [day.views, day.visitors.estimate()])).toEqual([[9, 3]]);
    });

    test("of a batch are added once, however often it is sent", async () => {
      const { views } = current();
      const batch = { writer: "thread", number: 1 };
      await views.add([delta(7, 2, [])], batch);
      await views.add([delta(7, 2, [])], batch);
      await views.addRelaxed([delta(7, 2, [])], batch);
      await views.addRelaxed([delta(7, 3, [])], { ...batch, number: 2 });
      await views.add([delta(7, 4, [])], { ...batch, writer: "another" });
      expect((await views.days(site.id, 7, 7)).map((day) => day.views)).toEqual([9]);
    });

    test("have names by frequency over the requested days", async () => {
      const { views } = current();
      await views.add([delta(7, 0, [], ["/", "/a", "/a"]), delta(8, 0, [], ["/", "/", "/b"])]);
      expect(await views.top(site.id, "page", { from: 7, to: 8 }, 2)).toEqual([
        { name: "/", count: 3 },
        { name: "/a", count: 2 },
      ]);
      expect(await views.top(site.id, "page", { from: 8, to: 8 }, 9)).toEqual([
        { name: "/", count: 2 },
        { name: "/b", count: 1 },
      ]);
      expect(await views.top(site.id, "missing", { from: 7, to: 8 }, 9)).toEqual([]);
    });

    test("have a limited number of names per day, whose counts continue", async () => {
      const { views } = current();
      const flood = (prefix: string) => Array.from({ length: MAX_NAMES.page }, (_, i) => `/${prefix}${i}`);
      await views.add([delta(7, 0, [], flood("a"))]);
      await views.add([delta(7, 0, [], ["/a1", ...flood("b")])]);
      const top = await views.top(site.id, "page", { from: 7, to: 7 }, 9999);
      expect(top).toHaveLength(MAX_NAMES.page);
      expect(top[0]).toEqual({ name: "/a1", count: 2 });
    });

    test("of a deleted site are skipped, and are deleted with the site", async () => {
      const { views, sites } = current();
      await views.add([delta(7, 1, [], ["/"])]);
      await sites.delete(site.id, 0, 0);
      await views.add([delta(7, 1, [], ["/"])]);
      expect([await views.days(site.id, 0, 99), await views.hours(site.id, 0, 999)]).toEqual([[], []]);
    });

    test("do not change the generation", async () => {
      const before = current().generation();
      await current().views.add([delta(7, 1, [])]);
      expect(current().generation()).toBe(before);
    });

    test("have one salt per day, and earlier ones are deleted", async () => {
      const { views } = current();
      expect(await views.salt(7, "one")).toBe("one");
      expect(await views.salt(7, "two")).toBe("one");
      expect(await views.salt(8, "three")).toBe("three");
      expect(await views.salt(7, "four")).toBe("four");
    });

    test("are deleted before a day", async () => {
      const { views } = current();
      await views.add([delta(7, 1, [], ["/"]), delta(8, 1, [], ["/"])]);
      await views.deleteBefore(8);
      expect((await views.days(site.id, 0, 99)).map(({ day }) => day)).toEqual([8]);
      expect(await views.top(site.id, "page", { from: 0, to: 99 }, 9)).toEqual([{ name: "/", count: 1 }]);
    });
  });
}
