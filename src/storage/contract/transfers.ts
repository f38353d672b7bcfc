import { beforeEach, expect, test } from "bun:test";
import { UNLIMITED } from "../../domain/model/quota.ts";
import type { Site } from "../../domain/model/site.ts";
import { ENDED_BY_TRANSFER, type Ended, type EndedByTransfer, NOTHING_ENDED } from "../../domain/model/transfer.ts";
import type { User } from "../../domain/model/user.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSite } from "./people.ts";
import { tokenOf, webhookOf } from "./records.ts";

const ALL = { quota: UNLIMITED, keep: [] };
const ONE_OF_EACH: Ended = { tokens: 1, shares: 1, webhooks: 1, publishers: 1 };
const PLACES = { now: 50, horizon: 1050, restHorizon: 150, until: 80, limit: 9, maxOfOwner: 1, maxFailing: 9 };

/** The contract of transfers. `current` returns the store of the running test, which is empty at first. */
export function transferContract(current: () => Store): void {
  let ada: User;
  let grace: User;
  let blog: Site;
  beforeEach(async () => {
    ada = await addPerson(current(), "ada");
    grace = await addPerson(current(), "grace");
    blog = await addSite(current(), "blog", ada.id, true);
  });

  /** Adds one of everything that a transfer ends, and a token of a CI run. */
  async function setUp(siteId: number, makerId = ada.id): Promise<void> {
    const { tokens, shares, webhooks, publishers } = current();
    const token = tokenOf({ siteId, makerId, id: `t${siteId}`, tokenHash: `token of ${siteId}`, expiresAt: 99 });
    await tokens.add(token);
    const share = { siteId, label: "client", kind: "link", target: "", secretHash: "s", passwordHash: null } as const;
    await shares.add({ ...share, id: `s${siteId}`, secretHash: `${siteId}`, createdAt: 0, expiresAt: 99 }, 9);
    await webhooks.add(webhookOf(siteId, { id: `w${siteId}` }), 9);
    const repository = { provider: "github", issuer: "https://ci.example", repository: "octo/blog" } as const;
    const run = { workflow: null, ref: "refs/heads/main", environment: null, permission: "publish" } as const;
    await publishers.add({ ...repository, ...run, id: `p${siteId}`, siteId, makerId, createdAt: 0 }, 9);
    const by = { kind: "deployment_token", actor: "CI", userId: null, address: "", action: "", site: null } as const;
    await publishers.exchange({
      publisherId: `p${siteId}`,
      ids: { repositoryId: "74", ownerId: "65" },
      idTokenHash: `id token of ${siteId}`,
      idTokenEndsAt: 99,
      token: { ...token, id: `r${siteId}`, tokenHash: `run of ${siteId}` },
      audit: { ...by, at: 0, subject: "" },
    });
  }

  async function countOf({ id, name }: Site, owner: User): Promise<Ended> {
    const { tokens, shares, webhooks, publishers } = current();
    return {
      tokens: (await tokens.listOfMember(owner.id, 0)).filter(({ siteName }) => siteName === name).length,
      shares: (await shares.listOfSite(id)).length,
      webhooks: (await webhooks.listOfSite(id)).length,
      publishers: (await publishers.listOfSite(id)).length,
    };
  }

  test("give the site to its new owner, who is removed from its readers", async () => {
    const { sites, readers } = current();
    await readers.add(blog.id, grace, 0);
    expect(await sites.transfer(blog.id, grace.id, ALL)).toEqual({
      outcome: "transferred",
      site: { ...blog, ownerId: grace.id },
      ended: NOTHING_ENDED,
    });
    expect(await sites.listing("blog", 0)).toMatchObject({ owner: "grace", ownerId: grace.id });
    expect(await readers.list(blog.id)).toEqual([]);
    expect(await sites.transfer(blog.id + 99, grace.id, ALL)).toEqual({ outcome: "missing" });
  });

  test("are refused if they exceed the new owner's quota, without an effect", async () => {
    const { sites } = current();
    await setUp(blog.id);
    expect(await sites.transfer(blog.id, grace.id, { quota: { sites: 0, bytes: null }, keep: [] })).toEqual({
      outcome: "over_quota",
      excess: { kind: "sites", limit: 0, used: 0 },
    });
    expect((await sites.listing("blog", 0))?.owner).toBe("ada");
    expect(await countOf(blog, ada)).toEqual(ONE_OF_EACH);
  });

  test.each<[readonly EndedByTransfer[], Ended]>([
    [[], ONE_OF_EACH],
    [["tokens"], { ...ONE_OF_EACH, tokens: 0 }],
    [["publishers"], { ...ONE_OF_EACH, publishers: 0 }],
    [["shares", "webhooks"], { ...ONE_OF_EACH, shares: 0, webhooks: 0 }],
    [ENDED_BY_TRANSFER, NOTHING_ENDED],
  ])("that keep %j end what else the former owner set up, and nothing of another site", async (keep, ended) => {
    const { sites, tokens } = current();
    const other = await addSite(current(), "other", ada.id, true);
    for (const { id } of [blog, other]) await setUp(id);
    const transfer = { quota: UNLIMITED, keep };
    expect(await sites.transfer(blog.id, grace.id, transfer)).toMatchObject({ outcome: "transferred", ended });
    const left = Object.entries(ended).map(([what, count]) => [what, 1 - count]);
    expect(await countOf(blog, grace)).toEqual(Object.fromEntries(left));
    expect(await countOf(other, ada)).toEqual(ONE_OF_EACH);
    // The token of a run ends with the site's tokens, and with its publisher.
    const keepsRun = keep.includes("tokens") && keep.includes("publishers");
    expect((await tokens.findByHash(`run of ${blog.id}`)) !== null).toBe(keepsRun);
  });

  test("let kept tokens and publishers act for the new owner, and members stay but for the new owner", async () => {
    const { sites, tokens, publishers, members } = current();
    const carol = await addPerson(current(), "carol");
    for (const identity of [grace, carol]) {
      await members.set(blog.id, { identity }, { role: "maintainer", addedBy: ada.id, at: 0 });
    }
    await setUp(blog.id);
    await sites.transfer(blog.id, grace.id, { quota: UNLIMITED, keep: ENDED_BY_TRANSFER });
    const acting = { makerId: grace.id, makerRole: "owner" } as const;
    expect(await tokens.findByHash(`token of ${blog.id}`)).toMatchObject(acting);
    expect(await publishers.listOfSite(blog.id)).toMatchObject([acting]);
    expect((await members.list(blog.id)).map(({ name }) => name)).toEqual(["carol"]);
    expect(await sites.roleOf(blog.id, ada.id, 0)).toBeNull();
  });

  test("to the owner end nothing", async () => {
    await setUp(blog.id);
    const kept = { outcome: "transferred", ended: NOTHING_ENDED } as const;
    expect(await current().sites.transfer(blog.id, ada.id, ALL)).toMatchObject(kept);
    expect(await countOf(blog, ada)).toEqual(ONE_OF_EACH);
  });

  test("count the deliveries of kept webhooks for the new owner, also once the site is deleted", async () => {
    const { sites, webhooks } = current();
    const other = await addSite(current(), "other", ada.id, true);
    for (const { id } of [blog, other]) await setUp(id);
    await sites.transfer(blog.id, grace.id, { quota: UNLIMITED, keep: ["webhooks"] });
    for (const { id } of [blog, other]) await webhooks.notify(`w${id}`, { type: "ping", data: {} }, 1);
    await sites.delete(blog.id, 2, 99);
    // Each owner has one place.
    expect(await webhooks.takeDue(PLACES)).toHaveLength(2);
  });
}
