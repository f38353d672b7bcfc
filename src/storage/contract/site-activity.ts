import { beforeEach, expect, test } from "bun:test";
import type { ManifestFile } from "../../domain/model/manifest.ts";
import type { User } from "../../domain/model/user.ts";
import { VisitorSketch } from "../../domain/model/visitor-sketch.ts";
import type { Store } from "../../domain/ports/store.ts";
import { MAX_ICON_BYTES } from "../../domain/sites/site-icon.ts";
import { addPerson, addSession, addSite } from "./people.ts";
import { publicationOf } from "./publication.ts";

/** The contract of the activity of an owner's sites. */
export function siteActivityContract(current: () => Store): void {
  let ada: User;
  beforeEach(async () => {
    ada = await addPerson(current(), "ada");
  });

  const named = { page: new Map(), referrer: new Map(), missing: new Map(), lost: new Map(), country: new Map() };
  const seen = (siteId: number, day: number, views: number) => {
    return { siteId, hour: 24 * day, views, botViews: 1, bytes: 1, visitors: new VisitorSketch(), lostAt: 0, named };
  };

  test("has the owner's sites by name, with their views by day", async () => {
    const { sites, views } = current();
    const notes = await addSite(current(), "notes", ada.id, false);
    const blog = await addSite(current(), "blog", ada.id, true);
    const others = await addSite(current(), "others", (await addPerson(current(), "grace")).id, false);
    await views.add([
      seen(blog.id, 12, 5),
      seen(blog.id, 10, 3),
      seen(blog.id, 9, 99),
      seen(blog.id, 11, 0),
      seen(notes.id, 11, 7),
      seen(others.id, 11, 8),
    ]);
    const found = await sites.activityOfMember(ada.id, { day: 10, deployedAt: 0 }, 0);
    expect(found.map(({ siteId, siteName, viewDays }) => [siteId, siteName, viewDays])).toEqual([
      [
        blog.id,
        "blog",
        [
          { day: 10, views: 3 },
          { day: 12, views: 5 },
        ],
      ],
      [notes.id, "notes", [{ day: 11, views: 7 }]],
    ]);
  });

  test("has the assets that visitors lost, and the newest deployment with a file", async () => {
    const { views, deployments } = current();
    const file = (path: string) => ({ path, digest: "a".repeat(64), size: 1 });
    const { id } = await addSite(current(), "blog", ada.id, false, [file("app.js"), file("index.html")]);
    await addSite(current(), "blog", ada.id, false, [file("app.js")]);
    await addSite(current(), "blog", ada.id, false, [file("index.html")]);
    const lost = (day: number, lostAt: number, ...counts: readonly [string, number][]) => {
      return { ...seen(id, day, 0), lostAt, named: { ...named, lost: new Map(counts) } };
    };
    await views.add([lost(9, 900, ["/app.js", 50]), lost(10, 1000, ["/app.js", 2], ["/b.js", 4])]);
    await views.add([lost(10, 1010, ["/app.js", 1]), lost(11, 1100, ["/app.js", 3])]);
    expect(await views.lost(id, { from: 10, to: 11 }, 9)).toEqual([
      { path: "/app.js", hits: 6, lastAt: 1100 },
      { path: "/b.js", hits: 4, lastAt: 1000 },
    ]);
    expect(await views.lost(id, { from: 10, to: 11 }, 1)).toHaveLength(1);
    const numbers = await deployments.newestWith(id, ["app.js", "index.html", "never.js"]);
    expect(Object.fromEntries(numbers)).toEqual({ "app.js": 2, "index.html": 3 });
    expect(await deployments.newestWith(id, [])).toEqual(new Map());
  });

  test("has the icon of the active deployment, unless it is too large", async () => {
    const { sites } = current();
    const file = (path: string, digest: string, size: number) => ({ path, digest: digest.repeat(64), size });
    const publish = async (files: ManifestFile[]) => {
      await addSite(current(), "blog", ada.id, false, files);
      return (await sites.activityOfMember(ada.id, { day: 0, deployedAt: 0 }, 0))[0]?.icon;
    };
    expect(await publish([file("index.html", "a", 1), file("img/favicon.ico", "b", 1)])).toBeNull();
    expect(await publish([file("favicon.ico", "b", 1), file("favicon.svg", "c", MAX_ICON_BYTES)])).toBe("favicon.svg");
    expect(await publish([file("favicon.ico", "b", 1), file("favicon.svg", "d", MAX_ICON_BYTES + 1)])).toBe(
      "favicon.ico",
    );
  });

  test("has the newest deployment, and the number of recent ones", async () => {
    const { sites } = current();
    for (let number = 1; number <= 3; number++) await addSite(current(), "blog", ada.id, false);
    const [blog] = await sites.activityOfMember(ada.id, { day: 0, deployedAt: 0 }, 0);
    expect(blog).toMatchObject({
      recentDeployments: 3,
      lastDeployment: { number: 3, source: "session", actor: "alice" },
    });
    expect(await sites.activityOfMember(ada.id, { day: 0, deployedAt: 1 }, 0)).toMatchObject([
      { recentDeployments: 0 },
    ]);
    expect(await sites.activityOfMember(ada.id + 9, { day: 0, deployedAt: 0 }, 0)).toEqual([]);
  });

  test("knows whether the active deployment took the start page away", async () => {
    const { sites, deployments } = current();
    const site = await addSite(current(), "blog", ada.id, false);
    const first = await deployments.find(site.id, 1);
    const sessionId = await addSession(current(), ada.id);
    const publication = publicationOf({ siteName: "blog", ownerId: ada.id, sessionId });
    const isGone = async () => (await sites.activityOfMember(ada.id, { day: 0, deployedAt: 0 }, 0))[0]?.startPageGone;
    expect(await isGone()).toBe(false);
    await deployments.publish({ ...publication, withoutStartPage: { activeWithPage: first!.id } });
    expect([await isGone(), (await deployments.find(site.id, 2))?.startPageGone]).toEqual([true, true]);
    await deployments.activate(site.id, 1, 9);
    expect(await isGone()).toBe(false);
  });
}
