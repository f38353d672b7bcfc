import { beforeEach, describe, expect, test } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";
import { agentContract } from "./agents.ts";
import { deviceCodeContract } from "./device-codes.ts";
import { addPerson, addSession, SHORT_SESSION } from "./people.ts";
import { providerPeopleContract } from "./provider-people.ts";
import { rateLimitContract } from "./rate-limits.ts";

/** The contract of sign-ins. `current` returns the store of the running test, which is empty at first. */
export function signInContract(current: () => Store): void {
  rateLimitContract(current);
  deviceCodeContract(current);
  agentContract(current);
  providerPeopleContract(current);

  test("sessions are listed newest first until they expire or were idle for too long", async () => {
    const { sessions } = current();
    const { id: userId } = await addPerson(current(), "alice");
    const long = await addSession(current(), userId, 1000, 1000);
    const short = await addSession(current(), userId, 10, 1000);
    const idle = await addSession(current(), userId, 1000, 20);
    const listed = async (now: number) => (await sessions.listOfUser(userId, now)).map(({ id }) => id);
    expect(await listed(9)).toEqual([idle, short, long]);
    expect(await listed(10)).toEqual([idle, long]);
    await sessions.touch(idle, 15);
    expect(await listed(34)).toEqual([idle, long]);
    expect(await listed(35)).toEqual([long]);
  });

  test("a session keeps its limit, and has none unless one is given", async () => {
    const { sessions } = current();
    const { id: userId } = await addPerson(current(), "alice");
    const limit = { permission: "preview", sites: [{ id: 7, name: "blog" }] } as const;
    const limited = await sessions.add({ ...SHORT_SESSION, userId, tokenHash: "limited", limit });
    const full = await sessions.add({ ...SHORT_SESSION, userId, tokenHash: "full" });
    expect([limited?.limit, full?.limit]).toEqual([limit, null]);
    expect((await sessions.findByHash("limited"))?.session.limit).toEqual(limit);
    expect((await sessions.find(full?.id ?? 0))?.session.limit).toBeNull();
    expect((await sessions.listOfUser(userId, 1)).map((one) => one.limit)).toEqual([null, limit]);
  });

  test("a person who was removed gets no session", async () => {
    const { sessions, users } = current();
    const { id: userId } = await addPerson(current(), "alice");
    await users.delete(userId);
    expect(await sessions.add({ ...SHORT_SESSION, userId })).toBeNull();
  });

  test("users, sessions and device codes are read without the hashes of their secrets", async () => {
    const { users, sessions, deviceCodes } = current();
    const { id: userId } = await addPerson(current(), "alice");
    await users.setPassword(userId, "hash of a password");
    const added = await sessions.add({ ...SHORT_SESSION, userId, tokenHash: "hash of a token" });
    const hashes = { deviceCodeHash: "hash of a device code", userCodeHash: "hash of a user code" };
    const { createdAt, expiresAt, clientName } = SHORT_SESSION;
    const device = { clientName, address: "192.0.2.1", createdAt, expiresAt, interval: 5, scope: null };
    await deviceCodes.add({ ...hashes, ...device });
    const read = [
      await users.list(),
      await users.listing(userId),
      added,
      await sessions.findByHash("hash of a token"),
      await sessions.listOfUser(userId, 1),
      await deviceCodes.findByUserCode("hash of a user code"),
    ];
    expect(read).not.toContain(null);
    expect(JSON.stringify(read)).not.toContain("hash of");
  });

  describe("sign-in attempts", () => {
    const attempt = { secretHash: "s", sealed: "x", expiresAt: 100, nextPollAt: 10 };
    beforeEach(() => current().signInAttempts.add(attempt));

    test("can be taken once, and not after they have expired", async () => {
      const { signInAttempts } = current();
      await signInAttempts.add({ ...attempt, secretHash: "late" });
      expect(await signInAttempts.take("late", 100)).toBeNull();
      expect(await signInAttempts.take("s", 99)).toEqual(attempt);
      expect(await signInAttempts.take("s", 99)).toBeNull();
    });

    test("can be polled by one caller when they are due", async () => {
      const { signInAttempts } = current();
      expect(await signInAttempts.claimPoll("s", 9, 15)).toBe(false);
      const claims = await Promise.all(Array.from({ length: 5 }, () => signInAttempts.claimPoll("s", 10, 15)));
      expect(claims.filter(Boolean)).toHaveLength(1);
      await signInAttempts.replace("s", "y", 40);
      expect(await signInAttempts.claimPoll("s", 39, 50)).toBe(false);
      expect((await signInAttempts.find("s", 39))?.sealed).toBe("y");
    });

    test("that have expired are not found, and deleted on demand", async () => {
      const { signInAttempts } = current();
      expect(await signInAttempts.find("s", 100)).toBeNull();
      expect(await signInAttempts.deleteExpired(100)).toBe(1);
    });
  });

  describe("the set-up link", () => {
    test("is valid until it expires or a newer one replaces it", async () => {
      const { setupLinks } = current();
      expect(await setupLinks.isOpen("a", 0)).toBe(false);
      await setupLinks.replace("a", 100);
      expect(await setupLinks.isOpen("a", 99)).toBe(true);
      expect(await setupLinks.isOpen("a", 100)).toBe(false);
      await setupLinks.replace("b", 100);
      expect(await setupLinks.isOpen("a", 1)).toBe(false);
      expect(await setupLinks.isOpen("b", 1)).toBe(true);
    });
  });
}
