import { beforeEach, describe, expect, test } from "bun:test";
import { heldMebibytes } from "../../testing/held-memory.ts";
import { dayOfHour, HOURS_OF_DAY, type ViewDelta } from "../model/view-delta.ts";
import { hash32 } from "../model/visitor-sketch.ts";
import type { ViewBatch, ViewStore } from "../ports/store/views.ts";
import { DAY, HOUR } from "../timestamp.ts";
import { makeViewRecorder, type PageView, type ViewRecorder } from "./record-views.ts";
import { PageTally } from "./view-deltas.ts";

let now: number;
let written: ViewDelta[];
/** The batches that were given to the store. */
let attempts: ViewBatch[];
/** The number of writes that were synced to the disk. */
let synced: number;
let isFull: boolean;
/** Called between two batches. */
let onPause: () => void;
/** A promise that writes wait for, as for another writer. */
let otherWriter: Promise<void>;
let recorder: ViewRecorder;

beforeEach(() => {
  now = 100 * DAY + 5;
  written = [];
  attempts = [];
  synced = 0;
  isFull = false;
  onPause = () => {};
  otherWriter = Promise.resolve();
  let salts = 0;
  const views: Pick<ViewStore, "add" | "addRelaxed" | "salt"> = {
    async add(deltas, batch) {
      await views.addRelaxed(deltas, batch);
      synced += 1;
    },
    async addRelaxed(deltas, batch) {
      await otherWriter;
      if (batch) attempts.push(batch);
      if (isFull) throw new Error("disk full");
      written.push(...deltas);
    },
    async salt(day, candidate) {
      salts += 1;
      return `${day} ${candidate} ${salts}`;
    },
  };
  recorder = makeViewRecorder({
    store: { views: views as ViewStore },
    clock: { now: () => now },
    secrets: { random: (length) => new Uint8Array(length), sha256: (text) => `${hash32(text)}` },
    pause: async () => onPause(),
  });
});

interface Changes extends Partial<Omit<PageView, "visitor" | "page">> {
  address?: string;
  country?: string | null;
  path?: string;
}

const view = ({ address = "192.0.2.1", country = null, path = "/", ...rest }: Changes = {}): PageView => {
  const usual = { page: new PageTally(path), userAgent: "Firefox", referrer: null, host: "demo.test", bytes: 0 };
  return { ...usual, visitor: { address, country }, ...rest };
};

async function flushed() {
  await recorder.flush();
  return written.map(({ named, visitors, hour, lostAt: _, ...delta }) => ({
    ...delta,
    day: dayOfHour(hour),
    hour: hour % HOURS_OF_DAY,
    visitors: visitors.estimate(),
    pages: [...named.page],
    referrers: [...named.referrer],
    missing: [...named.missing],
    countries: [...named.country],
  }));
}

describe("counting views", () => {
  test("includes pages, visitors, traffic, referrers and missing paths by site and day", async () => {
    recorder.traffic(1, 100);
    recorder.traffic(1, 0);
    recorder.view(1, view({ bytes: 20, referrer: "https://News.example:8080/item?id=7" }));
    recorder.view(1, view({ path: "/a", referrer: "https://demo.test/" }));
    recorder.view(1, view({ address: "192.0.2.2", referrer: "nonsense" }));
    recorder.missing(1, "/gone", "Firefox");
    expect(await flushed()).toEqual([
      {
        siteId: 1,
        day: 100,
        hour: 0,
        views: 3,
        botViews: 0,
        bytes: 120,
        visitors: 2,
        pages: [
          ["/", 2],
          ["/a", 1],
        ],
        referrers: [["news.example", 1]],
        missing: [["/gone", 1]],
        countries: [],
      },
    ]);
  });

  test("counts bots separately, as no view, visitor or missing path", async () => {
    recorder.view(1, view({ userAgent: "Googlebot/2.1" }));
    recorder.missing(1, "/wp-login.php", "Googlebot/2.1");
    expect(await flushed()).toMatchObject([{ views: 0, botViews: 1, visitors: 0, pages: [], missing: [] }]);
  });

  test("a flush writes the changes since the last one", async () => {
    recorder.view(1, view());
    await recorder.flush();
    await recorder.flush();
    recorder.view(2, view());
    expect((await flushed()).map(({ siteId, views }) => [siteId, views])).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  test("hours of a day are counted separately, and a visitor of both is counted as the same", async () => {
    recorder.view(1, view({ path: "/a" }));
    now += HOUR;
    recorder.view(1, view({ path: "/b" }));
    expect((await flushed()).map(({ day, hour, views, pages }) => [day, hour, views, pages])).toEqual([
      [100, 0, 1, [["/a", 1]]],
      [100, 1, 1, [["/b", 1]]],
    ]);
    const [first, second] = written;
    first!.visitors.merge(second!.visitors);
    expect(first!.visitors.estimate()).toBe(1);
  });

  test("countries are counted if known, for people only", async () => {
    for (const country of ["DE", "JP", "DE", "XX", "T1", "de", "", "DEU", "=1", null])
      recorder.view(1, view({ country }));
    recorder.view(1, view({ country: "FR", userAgent: "Googlebot/2.1" }));
    expect((await flushed()).map(({ views, countries }) => [views, countries])).toEqual([
      [
        10,
        [
          ["DE", 2],
          ["JP", 1],
        ],
      ],
    ]);
  });

  test("a cached counter counts its page without a lookup, across flushes and midnight", async () => {
    const page = new PageTally("/kept");
    const views = async () => {
      written = [];
      return (await flushed()).map(({ day, views, pages }) => [day, views, pages]);
    };
    for (let visit = 0; visit < 3; visit += 1) recorder.view(1, { ...view(), page });
    recorder.view(1, view({ path: "/kept" }));
    expect(await views()).toEqual([[100, 4, [["/kept", 4]]]]);
    recorder.view(1, { ...view(), page });
    now += DAY;
    recorder.view(1, { ...view(), page });
    expect(await views()).toEqual([
      [100, 1, [["/kept", 1]]],
      [101, 1, [["/kept", 1]]],
    ]);
  });

  test("no views of a page are lost between a failed flush and the next", async () => {
    const page = new PageTally("/kept");
    recorder.view(1, { ...view(), page });
    isFull = true;
    await expect(recorder.flush()).rejects.toThrow("disk full");
    recorder.view(1, { ...view(), page });
    isFull = false;
    expect((await flushed()).map(({ pages }) => pages)).toEqual([[["/kept", 1]], [["/kept", 1]]]);
  });

  test("a batch whose response was lost is repeated unchanged, under its number", async () => {
    recorder.view(1, view());
    isFull = true;
    await expect(recorder.flush()).rejects.toThrow("disk full");
    recorder.view(1, view({ path: "/later" }));
    await expect(recorder.flush()).rejects.toThrow("disk full");
    isFull = false;
    const pages = (await flushed()).map((delta) => delta.pages);
    expect(pages).toEqual([[["/", 1]], [["/later", 1]]]);
    const [first] = attempts;
    expect(attempts.map(({ number }) => number)).toEqual([1, 1, 1, 2]);
    expect(attempts.every(({ writer }) => writer === first?.writer)).toBe(true);
  });

  test("a flush waits for an earlier one", async () => {
    const released = Promise.withResolvers<void>();
    otherWriter = released.promise;
    recorder.view(1, view());
    const first = recorder.flush();
    const second = recorder.flush();
    const third = second.then(() => written.length);
    await Bun.sleep(1);
    released.resolve();
    expect(await third).toBe(1);
    await first;
  });

  test("a large flush writes batches, and the next flush repeats those that failed", async () => {
    const parts: number[] = [];
    const names = () => written.reduce((sum, { named }) => sum + named.page.size, 0);
    onPause = () => {
      parts.push(names());
      isFull = parts.length === 2;
    };
    const visit = (site: number) => {
      for (let page = 0; page < 50; page += 1) recorder.view(site, view({ path: `/${page}` }));
    };
    for (let site = 1; site <= 200; site += 1) visit(site);
    await expect(recorder.flush()).rejects.toThrow("disk full");
    expect(parts).toEqual([2850, 5700]);
    isFull = false;
    await recorder.flush();
    expect(synced).toBe(1);
    expect(written.map(({ siteId, views }) => [siteId, views])).toEqual(
      Array.from({ length: 200 }, (_, index) => [index + 1, 50]),
    );
  });

  test("counts that could not be written are kept, also over midnight", async () => {
    recorder.view(1, view());
    isFull = true;
    await expect(recorder.flush()).rejects.toThrow("disk full");
    recorder.view(1, view({ address: "192.0.2.2" }));
    await expect(recorder.flush()).rejects.toThrow("disk full");
    now += DAY;
    recorder.view(1, view());
    isFull = false;
    expect((await flushed()).map(({ day, views, visitors }) => [day, views, visitors])).toEqual([
      [100, 1, 1],
      [100, 1, 1],
      [101, 1, 1],
    ]);
  });

  test("a flood of views causes at most a thousand lookups per second, and every view counts", async () => {
    let requested = 0;
    const flood = (name: string) => {
      const visitor = {
        get address() {
          requested += 1;
          return `${name} ${requested}`;
        },
        country: null,
      };
      for (let i = 0; i < 1500; i += 1) recorder.view(1, { ...view(), visitor });
    };
    flood("one");
    now += 1000;
    flood("two");
    expect((await flushed()).map(({ views, visitors }) => [views, visitors > 1900])).toEqual([[3000, true]]);
    expect(requested).toBe(2000);
  });

  test("a visitor cannot be recognized the next day", async () => {
    recorder.view(1, view());
    await recorder.flush();
    now += DAY;
    recorder.view(1, view());
    await recorder.flush();
    const [first, second] = written.map(({ visitors }) => visitors.toBytes().join());
    expect(first).not.toBe(second!);
  });

  test("a flood of invented paths is truncated, but included in the total", async () => {
    const page = new PageTally("/kept");
    for (let i = 0; i < 2000; i += 1) {
      recorder.view(1, { ...view(), page });
      recorder.view(1, view({ path: `/${i}${"x".repeat(500)}` }));
    }
    const [day] = await flushed();
    expect(day!.views).toBe(4000);
    expect(day!.pages[0]).toEqual(["/kept", 2000]);
    expect(day!.pages).toHaveLength(500);
    expect(Math.max(...day!.pages.map(([path]) => path.length))).toBe(200);
  });
});

describe("long values from visitors are truncated before they are kept:", () => {
  const pad = "q".repeat(500_000);
  const visits = Array.from({ length: 200 }, (_, i) => i);

  test("query strings of pages", async () => {
    const held = await heldMebibytes(() => {
      for (const i of visits) {
        const { url } = new Request(`http://demo.test/${i}?${pad}`);
        recorder.view(1, view({ path: url.slice(0, url.indexOf("?")) }));
      }
    });
    expect(held).toBeLessThan(50);
  });

  test("paths that were not found", async () => {
    const held = await heldMebibytes(() => {
      for (const i of visits) {
        const { url } = new Request(`http://demo.test/${i}?${pad}`);
        recorder.missing(1, url.slice(0, url.indexOf("?")), "Firefox");
      }
    });
    expect(held).toBeLessThan(50);
  });

  test("names of browsers", async () => {
    const held = await heldMebibytes(() => {
      for (const i of visits) recorder.missing(1, "/", new Headers({ "user-agent": `${i} ${pad}` }).get("user-agent"));
    });
    expect(held).toBeLessThan(50);
  });
});
