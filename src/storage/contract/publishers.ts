import { beforeEach, describe, expect, test } from "bun:test";
import type { NewPublisher } from "../../domain/model/publisher.ts";
import type { Exchange } from "../../domain/ports/store/publishers.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSite } from "./people.ts";

const IDS = { repositoryId: "74", ownerId: "65" };

/**
 * The contract of publishers and their tokens. `current` returns the store of the running test, which is empty at
 * first.
 */
export function publisherContract(current: () => Store): void {
  let ownerId: number;
  let siteId: number;
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "alice")).id;
    siteId = (await addSite(current(), "demo", ownerId, false)).id;
  });

  const publisher = (id: string, createdAt = 0): NewPublisher => ({
    id,
    siteId,
    makerId: ownerId,
    provider: "github",
    issuer: "https://ci.example",
    repository: "octo/blog",
    workflow: null,
    ref: "refs/heads/main",
    environment: null,
    permission: "publish",
    createdAt,
  });
  const exchange = (tokenHash: string, wanted: Partial<Exchange> = {}): Exchange => ({
    publisherId: "p",
    ids: IDS,
    idTokenHash: `id token of ${tokenHash}`,
    idTokenEndsAt: 700,
    token: {
      id: tokenHash,
      siteId,
      makerId: ownerId,
      name: "octo/blog",
      permission: "publish",
      tokenHash,
      createdAt: 100,
      expiresAt: 600,
    },
    audit: {
      at: 100,
      kind: "deployment_token",
      actor: "octo/blog",
      userId: null,
      address: "203.0.113.9",
      action: "POST /auth/token",
      site: "demo",
      subject: "",
    },
    ...wanted,
  });

  describe("publishers", () => {
    test("are listed oldest first, as they were added, and limited in number", async () => {
      const { publishers } = current();
      expect(await publishers.add(publisher("b", 2), 2)).toBe(true);
      expect(await publishers.add(publisher("a", 1), 2)).toBe(true);
      expect(await publishers.add(publisher("c", 3), 2)).toBe(false);
      const unused = { makerRole: "owner" as const, pinned: null, lastUsedAt: null };
      expect(await publishers.listOfSite(siteId)).toEqual([
        { ...publisher("a", 1), ...unused },
        { ...publisher("b", 2), ...unused },
      ]);
    });

    test("are removed by their own site only, and deleted with it", async () => {
      const { publishers, sites } = current();
      const other = await addSite(current(), "other", ownerId, false);
      await publishers.add(publisher("p"), 9);
      expect(await publishers.delete(other.id, "p")).toBe(false);
      expect(await publishers.delete(siteId, "p")).toBe(true);
      expect(await publishers.delete(siteId, "p")).toBe(false);
      await publishers.add(publisher("p"), 9);
      await sites.delete(siteId, 0, 0);
      expect(await publishers.listOfSite(siteId)).toEqual([]);
      const gone = { kind: "not_found", detail: "site does not exist: it was deleted meanwhile" };
      await expect(publishers.add(publisher("p"), 9)).rejects.toMatchObject(gone);
    });
  });

  describe("an exchange", () => {
    beforeEach(async () => {
      await current().publishers.add(publisher("p"), 9);
    });

    test("adds the token, which no list of tokens has, and pins the ids at first use", async () => {
      const { publishers, tokens } = current();
      expect(await publishers.exchange(exchange("t"))).toBe("exchanged");
      expect(await tokens.findByHash("t")).toMatchObject({ id: "t", permission: "publish", expiresAt: 600 });
      expect(await tokens.listOfMember(ownerId, 0)).toEqual([]);
      const log = await current().audit.list({ site: "demo" }, { limit: 9, before: null });
      expect(log).toMatchObject([{ actor: "octo/blog", action: "POST /auth/token" }]);
      expect(await publishers.listOfSite(siteId)).toMatchObject([{ pinned: IDS, lastUsedAt: 100 }]);
    });

    test("accepts an ID token once", async () => {
      const { publishers, tokens } = current();
      const again = exchange("again", { idTokenHash: "id token of t" });
      expect(await publishers.exchange(exchange("t"))).toBe("exchanged");
      expect(await publishers.exchange(again)).toBe("replayed");
      expect(await tokens.findByHash("again")).toBeNull();
      expect(await publishers.deleteUsedIdTokens(699)).toBe(0);
      expect(await publishers.exchange(again)).toBe("replayed");
      expect(await publishers.deleteUsedIdTokens(700)).toBe(1);
    });

    test.each([{ repositoryId: "75" }, { ownerId: "66" }])("refuses %p once others are pinned", async (ids) => {
      const { publishers } = current();
      await publishers.exchange(exchange("t"));
      expect(await publishers.exchange(exchange("other", { ids: { ...IDS, ...ids } }))).toBe("changed");
      expect(await current().tokens.findByHash("other")).toBeNull();
      // The ID token counts as unused.
      expect(await publishers.exchange(exchange("other"))).toBe("exchanged");
    });

    test("is impossible once its publisher is removed, and its tokens are deleted", async () => {
      const { publishers, tokens } = current();
      await publishers.exchange(exchange("t"));
      await publishers.delete(siteId, "p");
      expect(await tokens.findByHash("t")).toBeNull();
      expect(await publishers.exchange(exchange("u"))).toBe("changed");
    });

    test("leaves tokens that are deleted once they have expired, and no others", async () => {
      const { publishers, tokens } = current();
      await publishers.exchange(exchange("t"));
      const { token } = exchange("own");
      await tokens.add(token);
      expect(await publishers.deleteTokens(599)).toBe(0);
      expect(await publishers.deleteTokens(600)).toBe(1);
      expect(await tokens.findByHash("own")).not.toBeNull();
    });
  });
}
