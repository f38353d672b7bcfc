import { beforeEach, describe, expect, test } from "bun:test";
import type { DeviceVerdict, NewDeviceAuthorization } from "../../domain/ports/store/device-codes.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, SHORT_SESSION } from "./people.ts";

const authorization: NewDeviceAuthorization = {
  deviceCodeHash: "device-1",
  userCodeHash: "user-1",
  clientName: "vitrine on a laptop",
  address: "192.0.2.1",
  createdAt: 0,
  expiresAt: 900_000,
  interval: 5,
  scope: null,
};

const APPROVED: DeviceVerdict = { verdict: "approved", granted: null };

const DENIED: DeviceVerdict = { verdict: "denied" };

/** The contract of devices that are signed in, and of the passwords that end their sessions. */
export function deviceCodeContract(current: () => Store): void {
  describe("device codes", () => {
    let userId: number;
    let sessionId: number;
    beforeEach(async () => {
      userId = (await addPerson(current(), "alice")).id;
      sessionId = await addSession(current(), userId);
      await current().deviceCodes.add(authorization);
    });

    test("are unique", async () => {
      const { deviceCodes } = current();
      expect(await deviceCodes.add({ ...authorization, deviceCodeHash: "device-2" })).toBe(false);
      expect(await deviceCodes.add({ ...authorization, userCodeHash: "user-2" })).toBe(false);
      expect(await deviceCodes.add({ ...authorization, deviceCodeHash: "device-2", userCodeHash: "user-2" })).toBe(
        true,
      );
    });

    test("have one verdict, and none after they expired", async () => {
      const { deviceCodes } = current();
      const { id = 0 } = (await deviceCodes.findByUserCode("user-1")) ?? {};
      expect(await deviceCodes.resolve(id, APPROVED, sessionId, 900_000)).toBe(false);
      expect(await deviceCodes.resolve(id, APPROVED, sessionId, 899_999)).toBe(true);
      expect(await deviceCodes.resolve(id, DENIED, sessionId, 1)).toBe(false);
      expect(await deviceCodes.findByUserCode("user-1")).toMatchObject({ verdict: "approved", userId });
    });

    test("cannot be approved by a session that was ended", async () => {
      const { deviceCodes, sessions } = current();
      const { id = 0 } = (await deviceCodes.findByUserCode("user-1")) ?? {};
      await sessions.revoke(sessionId, userId);
      expect(await deviceCodes.resolve(id, APPROVED, sessionId, 1)).toBe(false);
      expect(await deviceCodes.findByUserCode("user-1")).toMatchObject({ verdict: "pending", userId: null });
    });

    test("store what an approval grants, and nothing for a denial", async () => {
      const { deviceCodes } = current();
      const hashes = { deviceCodeHash: "device-2", userCodeHash: "user-2" };
      await deviceCodes.add({ ...authorization, ...hashes, scope: "preview" });
      const limit = { permission: "preview", sites: [{ id: 7, name: "blog" }] } as const;
      const granted = { limit, lifetime: 1000 };
      const verdicts = { "user-2": { verdict: "approved", granted }, "user-1": DENIED } as const;
      for (const [code, verdict] of Object.entries(verdicts)) {
        const { id = 0 } = (await deviceCodes.findByUserCode(code)) ?? {};
        expect(await deviceCodes.resolve(id, verdict, sessionId, 1)).toBe(true);
      }
      expect(await deviceCodes.poll("device-2", 2)).toMatchObject({ approved: { scope: "preview", granted }, userId });
      expect(await deviceCodes.findByUserCode("user-1")).toMatchObject({ scope: null, granted: null });
    });

    test("change as the decision of a poll says", async () => {
      const { deviceCodes } = current();
      const poll = (now: number) => deviceCodes.poll("device-1", now);
      expect(await poll(0)).toBe("authorization_pending");
      expect(await poll(1000)).toBe("slow_down");
      expect(await poll(6000)).toBe("slow_down");
      expect(await deviceCodes.findByUserCode("user-1")).toMatchObject({ interval: 15, lastPolledAt: 6000 });
      expect(await deviceCodes.poll("device-9", 0)).toBe("invalid_grant");
    });

    test("are redeemed by one of several polls at an instant", async () => {
      const { deviceCodes } = current();
      const { id = 0 } = (await deviceCodes.findByUserCode("user-1")) ?? {};
      await deviceCodes.resolve(id, APPROVED, sessionId, 1);
      const polls = Array.from({ length: 8 }, () => deviceCodes.poll("device-1", 2));
      const responses = await Promise.all(polls);
      expect(responses.filter((response) => response !== "invalid_grant")).toHaveLength(1);
    });

    test("that have expired are deleted on demand", async () => {
      const { deviceCodes } = current();
      expect(await deviceCodes.deleteExpired(899_999)).toBe(0);
      expect(await deviceCodes.deleteExpired(900_000)).toBe(1);
      expect(await deviceCodes.findByUserCode("user-1")).toBeNull();
    });
  });

  describe("a new password", () => {
    let userId: number;
    beforeEach(async () => {
      userId = (await addPerson(current(), "alice")).id;
    });

    test("ends the earlier sessions, and prevents new ones that the old password was proof for", async () => {
      const { sessions, users } = current();
      expect(await sessions.add({ ...SHORT_SESSION, userId }, { passwordHash: "hash" })).toMatchObject({ userId });
      await users.setPassword(userId, "another hash");
      expect(await sessions.listOfUser(userId, 1)).toEqual([]);
      expect(await sessions.add({ ...SHORT_SESSION, userId }, { passwordHash: "hash" })).toBeNull();
      expect(await sessions.add({ ...SHORT_SESSION, userId }, { passwordHash: "another hash" })).toMatchObject({
        userId,
      });
    });

    test("denies the user's approved devices, and no others", async () => {
      const { deviceCodes, users } = current();
      const approve = async (n: number, approver: number) => {
        await deviceCodes.add({ ...authorization, deviceCodeHash: `device-${n}`, userCodeHash: `user-${n}` });
        const { id = 0 } = (await deviceCodes.findByUserCode(`user-${n}`)) ?? {};
        await deviceCodes.resolve(id, APPROVED, await addSession(current(), approver), 1);
      };
      await approve(1, userId);
      await approve(2, (await addPerson(current(), "bob")).id);
      await deviceCodes.add({ ...authorization, deviceCodeHash: "device-3", userCodeHash: "user-3" });
      await users.setPassword(userId, "another hash");
      const verdictOf = async (n: number) => (await deviceCodes.findByUserCode(`user-${n}`))?.verdict;
      expect(await Promise.all([1, 2, 3].map(verdictOf))).toEqual(["denied", "approved", "pending"]);
    });

    test("prevents a session from a device code that was just redeemed", async () => {
      const { deviceCodes, sessions, users } = current();
      await deviceCodes.add(authorization);
      const { id: deviceCodeId = 0 } = (await deviceCodes.findByUserCode("user-1")) ?? {};
      await deviceCodes.resolve(deviceCodeId, APPROVED, await addSession(current(), userId), 1);
      await deviceCodes.poll("device-1", 2);
      expect(await sessions.add({ ...SHORT_SESSION, userId }, { deviceCodeId })).toMatchObject({ userId });
      await users.setPassword(userId, "another hash");
      expect(await sessions.add({ ...SHORT_SESSION, userId }, { deviceCodeId })).toBeNull();
    });
  });

  describe("a change of password", () => {
    test("keeps the current session and ends the user's others, if the hash is unchanged", async () => {
      const { sessions, users } = current();
      const { id: userId } = await addPerson(current(), "alice");
      const { id: bob } = await addPerson(current(), "bob");
      const [kept, , others] = [
        await addSession(current(), userId),
        await addSession(current(), userId),
        await addSession(current(), bob),
      ];
      const change = { from: "hash", to: "new hash", keptSession: kept };
      expect(await users.changePassword(userId, { ...change, from: "another" })).toBe(false);
      expect(await users.changePassword(userId, { ...change, keptSession: others })).toBe(false);
      expect(await sessions.listOfUser(userId, 1)).toHaveLength(2);
      expect(await users.changePassword(userId, change)).toBe(true);
      expect((await sessions.listOfUser(userId, 1)).map(({ id }) => id)).toEqual([kept]);
      expect(await sessions.listOfUser(bob, 1)).toHaveLength(1);
      expect(await users.passwordHash(userId)).toBe("new hash");
      expect(await users.changePassword(userId, change)).toBe(false);
    });

    test("denies the devices that were approved before", async () => {
      const { deviceCodes, users } = current();
      const { id: userId } = await addPerson(current(), "alice");
      const keptSession = await addSession(current(), userId);
      await deviceCodes.add(authorization);
      const { id = 0 } = (await deviceCodes.findByUserCode("user-1")) ?? {};
      await deviceCodes.resolve(id, APPROVED, keptSession, 1);
      await users.changePassword(userId, { from: "hash", to: "new hash", keptSession });
      expect(await deviceCodes.findByUserCode("user-1")).toMatchObject({ verdict: "denied" });
    });
  });
}
