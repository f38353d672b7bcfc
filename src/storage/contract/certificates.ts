import { beforeEach, describe, expect, test } from "bun:test";
import { NO_ATTEMPTS } from "../../domain/model/certificate.ts";
import type { Store } from "../../domain/ports/store.ts";
import { DAY } from "../../domain/timestamp.ts";
import { CERTIFICATE } from "./records.ts";

const shop = { identifiers: ["shop.example.org"], challenge: "http-01", origin: "claim" } as const;
const certificate = { ...CERTIFICATE, names: ["shop.example.org"] };

/**
 * The contract of certificates and ACME state. `openStore` returns a new store, `openOther` a second connection to it.
 */
export function certificateContract(openStore: () => Store, openOther: () => Store): void {
  let store: Store;
  let other: Store;

  beforeEach(() => {
    store = openStore();
    other = openOther();
  });

  describe("certificates", () => {
    test("a repeated request keeps the certificate and the attempts", async () => {
      await store.certificates.want(shop);
      await store.certificates.install("shop.example.org", certificate, { orderedAt: 5, at: 5 }, NO_ATTEMPTS);
      await store.certificates.saveProgress("shop.example.org", { attempts: { ...NO_ATTEMPTS, failures: 2 } });
      await store.certificates.want(shop);
      const kept = await store.certificates.find("shop.example.org");
      expect(kept?.current).toEqual(certificate);
      expect(kept?.attempts.failures).toBe(2);
    });

    test("a request with more names keeps the certificate and resets its attempts", async () => {
      await store.certificates.want(shop);
      await store.certificates.install(
        "shop.example.org",
        certificate,
        { orderedAt: 5, at: 5 },
        { ...NO_ATTEMPTS, failures: 3 },
      );
      await store.certificates.want({ ...shop, identifiers: ["shop.example.org", "*.shop.example.org"] });
      const kept = await store.certificates.find("shop.example.org");
      expect(kept?.identifiers).toEqual(["shop.example.org", "*.shop.example.org"]);
      expect(kept?.current).toEqual(certificate);
      expect(kept?.attempts).toEqual(NO_ATTEMPTS);
    });

    test("the server takes over a claim's certificate unchanged, and a claim takes none of the server's", async () => {
      await store.certificates.want(shop);
      const attempts = { ...NO_ATTEMPTS, failures: 2 };
      await store.certificates.install("shop.example.org", certificate, { orderedAt: 5, at: 5 }, attempts);
      await store.certificates.want({ ...shop, origin: "appliance" });
      const taken = await store.certificates.find("shop.example.org");
      expect(taken).toMatchObject({ origin: "appliance", current: certificate, attempts });
      await store.certificates.want(shop);
      expect(await store.certificates.find("shop.example.org")).toEqual(taken);
    });

    test("a claim gets back a certificate that the server releases, unchanged if both request the same names", async () => {
      await store.certificates.want({ ...shop, origin: "appliance" });
      const attempts = { ...NO_ATTEMPTS, failures: 2 };
      await store.certificates.install("shop.example.org", certificate, { orderedAt: 5, at: 5 }, attempts);
      await store.certificates.releaseToClaim(shop);
      const back = await store.certificates.find("shop.example.org");
      expect(back).toMatchObject({ ...shop, current: certificate, attempts });
      await store.certificates.want({ ...shop, identifiers: ["shop.example.org", "*.shop.example.org"] });
      await store.certificates.releaseToClaim(shop);
      expect(await store.certificates.find("shop.example.org")).toMatchObject({ ...shop, current: certificate });
      await store.certificates.releaseToClaim({ ...shop, identifiers: ["unknown.example.org"] });
      expect(await store.certificates.find("unknown.example.org")).toBeNull();
    });

    test("certificates, orders and attempts are read by every connection", async () => {
      await store.certificates.want(shop);
      const pending = { authority: "https://ca.example/dir", url: "https://ca.example/order/1", key: "k", placedAt: 1 };
      const attempts = { ...NO_ATTEMPTS, failures: 4, wait: 9, blockedUntil: { "https://ca.example/dir": 77 } };
      await store.certificates.saveProgress("shop.example.org", { pending, attempts });
      const before = await store.certificates.list();
      expect(await other.certificates.list()).toEqual(before);
    });

    test("a certificate that arrives after its name was released is not stored", async () => {
      await store.certificates.want(shop);
      await store.certificates.release("shop.example.org", 10);
      expect(
        await store.certificates.install("shop.example.org", certificate, { orderedAt: 5, at: 5 }, NO_ATTEMPTS),
      ).toBe(false);
      expect(await store.certificates.saveProgress("shop.example.org", { pending: null })).toBe(false);
      expect(await store.certificates.list()).toEqual([]);
    });

    test("limits and retry times of a CA survive a release while they matter, and nothing else does", async () => {
      const name = "shop.example.org";
      const counted = { failedValidations: [5], blockedUntil: { "https://ca.example/dir": 20 } };
      const tried = { ...NO_ATTEMPTS, ...counted, failures: 4, lastAt: 5, wait: 9, error: "no luck" };
      await store.certificates.want(shop);
      await store.certificates.saveProgress(name, { attempts: tried });
      await store.certificates.release(name, 10);
      await other.certificates.want(shop);
      expect((await store.certificates.find(name))?.attempts).toEqual({ ...NO_ATTEMPTS, ...counted });
      await store.certificates.release(name, 10 + DAY);
      await store.certificates.want(shop);
      expect((await store.certificates.find(name))?.attempts).toEqual(NO_ATTEMPTS);
    });

    test("a certificate is live once the listeners present the revision that added it", async () => {
      await store.certificates.want(shop);
      await store.certificates.install("shop.example.org", certificate, { orderedAt: 5, at: 5 }, NO_ATTEMPTS);
      expect((await store.certificates.find("shop.example.org"))?.live).toBe(false);
      await store.certificates.setLive(await store.certificates.revision());
      expect((await store.certificates.find("shop.example.org"))?.live).toBe(true);
      await store.certificates.install("shop.example.org", certificate, { orderedAt: 6, at: 6 }, NO_ATTEMPTS);
      expect((await store.certificates.find("shop.example.org"))?.live).toBe(false);
    });

    test("of two internal certificates that are created at once, one is stored", async () => {
      const own = { chain: "chain", key: "key" };
      expect(await store.certificates.own("root")).toBeNull();
      expect(await store.certificates.keepOwn("root", own)).toEqual(own);
      expect(await other.certificates.keepOwn("root", { chain: "another", key: "another" })).toEqual(own);
      expect(await other.certificates.own("root")).toEqual(own);
      expect(await other.certificates.own("fallback")).toBeNull();
    });

    test("every connection reads whether certificates are ordered", async () => {
      const ordering = () => other.certificates.isOrdering();
      const before = await ordering();
      await store.certificates.noteOrdering(true);
      const during = await ordering();
      await store.certificates.noteOrdering(false);
      expect([before, during, await ordering()]).toEqual([false, true, false]);
    });

    test("installing and releasing increment the revision, which every connection reads", async () => {
      const generation = store.generation();
      await store.certificates.want(shop);
      expect(await other.certificates.revision()).toBe(0);
      expect(await other.certificates.requestsRevision()).toBe(1);
      await store.certificates.want(shop);
      expect(await other.certificates.requestsRevision()).toBe(1);
      await store.certificates.install("shop.example.org", certificate, { orderedAt: 5, at: 5 }, NO_ATTEMPTS);
      expect(await other.certificates.revision()).toBe(1);
      expect(store.generation()).not.toBe(generation);
      expect(store.affectedSites(generation, store.generation())).toEqual([]);
      await store.certificates.release("shop.example.org", 10);
      await store.certificates.release("unknown.example.org", 10);
      expect(await other.certificates.revision()).toBe(2);
      expect(await other.certificates.requestsRevision()).toBe(2);
    });
  });

  describe("acme", () => {
    test("a challenge is served by every connection until it is withdrawn or expires", async () => {
      const name = "_acme-challenge.example.org";
      await store.acme.publishChallenge({ type: "dns-01", name, value: "a", expiresAt: 100 });
      await store.acme.publishChallenge({ type: "dns-01", name, value: "b", expiresAt: 100 });
      expect([...other.acme.challengeValues("dns-01", name, 50)].sort()).toEqual(["a", "b"]);
      expect(other.acme.challengeValues("http-01", name, 50)).toEqual([]);
      expect(other.acme.challengeValues("dns-01", name, 100)).toEqual([]);
      await store.acme.withdrawChallenge({ type: "dns-01", name, value: "a" });
      expect(other.acme.challengeValues("dns-01", name, 50)).toEqual(["b"]);
      await store.acme.deleteExpiredChallenges(101);
      expect(other.acme.challengeValues("dns-01", name, 50)).toEqual([]);
    });

    test("accounts and the count of orders are read by every connection", async () => {
      const account = { directory: "https://ca.example/dir", key: "pem", url: null };
      await store.acme.saveAccount(account);
      await store.acme.saveAccount({ ...account, url: "https://ca.example/acct/1" });
      await store.acme.countOrder("https://ca.example/dir", 1_000);
      await store.acme.countOrder("https://ca.example/dir", 2_000);
      expect((await other.acme.account("https://ca.example/dir"))?.url).toBe("https://ca.example/acct/1");
      expect(await other.acme.ordersSince("https://ca.example/dir", 1_500)).toBe(1);
      expect(await other.acme.ordersSince("https://other.example/dir", 0)).toBe(0);
    });
  });
}
