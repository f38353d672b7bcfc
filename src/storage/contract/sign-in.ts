import { beforeEach, describe, expect, test } from "bun:test";
import type { DeviceVerdict, NewDeviceAuthorization } from "../../domain/ports/store/device-codes.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite } from "./people.ts";

const WINDOW = { count: 3, window: 1000 };

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

/** The contract of sign-ins. `current` returns the store of the running test, which is empty at first. */
export function signInContract(current: () => Store): void {
  describe("rate limits", () => {
    test("allow as many events as configured, and return when the next is allowed", async () => {
      const { rateLimits } = current();
      const waits = [];
      for (const now of [0, 100, 200, 300, 999]) waits.push(await rateLimits.take("a", WINDOW, now));
      expect(waits).toEqual([0, 0, 0, 700, 1]);
    });

    test("slide: an event is allowed for each one that leaves the window, and refused ones do not count", async () => {
      const { rateLimits } = current();
      for (const now of [0, 100, 200, 900, 950]) await rateLimits.take("a", WINDOW, now);
      expect(await rateLimits.take("a", WINDOW, 1000)).toBe(0);
      expect(await rateLimits.take("a", WINDOW, 1000)).toBe(100);
    });

    test("count each key separately", async () => {
      const { rateLimits } = current();
      for (let event = 0; event < 3; event++) await rateLimits.take("a", WINDOW, 0);
      expect(await rateLimits.take("b", WINDOW, 0)).toBe(0);
    });

    test("delay nobody by more than the window, even if another thread read the clock later", async () => {
      const { rateLimits } = current();
      for (let event = 0; event < 3; event++) await rateLimits.take("a", WINDOW, 5000);
      expect(await rateLimits.take("a", WINDOW, 0)).toBe(1000);
      expect(await rateLimits.count("a", 1000, 0)).toBe(3);
      expect(await rateLimits.wait("a", WINDOW, 5400)).toBe(600);
    });

    test("ignore events of a clock that was set back by more than a minute", async () => {
      const { rateLimits } = current();
      for (let event = 0; event < 3; event++) await rateLimits.take("a", WINDOW, 90_000);
      expect(await rateLimits.wait("a", WINDOW, 0)).toBe(0);
      expect(await rateLimits.count("a", 1000, 0)).toBe(0);
      const waits = [];
      for (let event = 0; event < 4; event++) waits.push(await rateLimits.take("a", WINDOW, 0));
      expect(waits).toEqual([0, 0, 0, 1000]);
      expect(await rateLimits.wait("a", WINDOW, 90_000)).toBe(0);
    });

    test("can be checked without counting", async () => {
      const { rateLimits } = current();
      for (let look = 0; look < 5; look++) expect(await rateLimits.wait("a", WINDOW, 0)).toBe(0);
      for (let event = 0; event < 3; event++) await rateLimits.take("a", WINDOW, 10);
      expect(await rateLimits.wait("a", WINDOW, 20)).toBe(990);
      expect(await rateLimits.count("a", 1000, 20)).toBe(3);
      expect(await rateLimits.count("a", 1000, 1010)).toBe(0);
    });

    test("allow no more than the limit at one instant", async () => {
      const { rateLimits } = current();
      const waits = await Promise.all(Array.from({ length: 20 }, () => rateLimits.take("a", WINDOW, 5)));
      expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
    });

    test("delete expired events on demand, including those of a clock that was set back", async () => {
      const { rateLimits } = current();
      for (const now of [0, 10, 20]) await rateLimits.take("a", WINDOW, now);
      await rateLimits.take("b", WINDOW, 90_000);
      expect(await rateLimits.forget(1000, 1010)).toBe(3);
      expect(await rateLimits.count("a", 1000, 20)).toBe(1);
      expect(await rateLimits.count("b", 1000, 90_000)).toBe(0);
    });
  });

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
      const answers = await Promise.all(polls);
      expect(answers.filter((answer) => answer !== "invalid_grant")).toHaveLength(1);
    });

    test("that have expired are deleted on demand", async () => {
      const { deviceCodes } = current();
      expect(await deviceCodes.removeExpired(899_999)).toBe(0);
      expect(await deviceCodes.removeExpired(900_000)).toBe(1);
      expect(await deviceCodes.findByUserCode("user-1")).toBeNull();
    });
  });

  describe("a new password", () => {
    const session = {
      tokenHash: "t",
      createdAt: 0,
      expiresAt: 9,
      idleLimit: 9,
      clientName: "a browser",
      address: null,
      signedInAt: null,
    };
    let userId: number;
    beforeEach(async () => {
      userId = (await addPerson(current(), "alice")).id;
    });

    test("ends the earlier sessions, and prevents new ones that the old password was proof for", async () => {
      const { sessions, users } = current();
      expect(await sessions.add({ ...session, userId }, { passwordHash: "hash" })).toMatchObject({ userId });
      await users.setPassword(userId, "another hash");
      expect(await sessions.listOfUser(userId, 1)).toEqual([]);
      expect(await sessions.add({ ...session, userId }, { passwordHash: "hash" })).toBeNull();
      expect(await sessions.add({ ...session, userId }, { passwordHash: "another hash" })).toMatchObject({ userId });
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
      expect(await sessions.add({ ...session, userId }, { deviceCodeId })).toMatchObject({ userId });
      await users.setPassword(userId, "another hash");
      expect(await sessions.add({ ...session, userId }, { deviceCodeId })).toBeNull();
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
    const session = { userId, createdAt: 0, expiresAt: 9, idleLimit: 9, clientName: "x", address: null };
    const limited = await sessions.add({ ...session, tokenHash: "limited", signedInAt: null, limit });
    const full = await sessions.add({ ...session, tokenHash: "full", signedInAt: null });
    expect([limited?.limit, full?.limit]).toEqual([limit, null]);
    expect((await sessions.findByHash("limited"))?.session.limit).toEqual(limit);
    expect((await sessions.find(full?.id ?? 0))?.session.limit).toBeNull();
    expect((await sessions.listOfUser(userId, 1)).map((one) => one.limit)).toEqual([null, limit]);
  });

  test("a person who was removed gets no session", async () => {
    const { sessions, users } = current();
    const { id: userId } = await addPerson(current(), "alice");
    await users.remove(userId);
    const session = {
      tokenHash: "t",
      createdAt: 0,
      expiresAt: 9,
      idleLimit: 9,
      clientName: "a browser",
      address: null,
      signedInAt: null,
    };
    expect(await sessions.add({ ...session, userId })).toBeNull();
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
      expect(await signInAttempts.removeExpired(100)).toBe(1);
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

  describe("users of a provider", () => {
    const octocat = { provider: "github", subject: "1", login: "octocat", name: null, avatarUrl: null } as const;

    test("are recognized by subject, and their profile is updated", async () => {
      const { users } = current();
      const first = await users.recognize(octocat, 5);
      expect(first).toMatchObject({ ...octocat, mayOwn: false, createdAt: 5 });
      const renamed = await users.recognize({ ...octocat, login: "mona", name: "Mona" }, 9);
      expect(renamed).toEqual({ ...first, login: "mona", name: "Mona" });
    });

    test("keep the right to own sites when they are recognized again", async () => {
      const { users } = current();
      await users.setMayOwn((await users.recognize(octocat, 5)).id, true);
      expect((await users.recognize(octocat, 9)).mayOwn).toBe(true);
    });

    test("take over a login that the provider has given to them, and nothing else of its former user", async () => {
      const { users } = current();
      const former = await users.recognize(octocat, 5);
      const other = await users.recognize({ ...octocat, subject: "2" }, 6);
      expect(other.id).not.toBe(former.id);
      expect((await users.findByLogin("github", "octocat"))?.id).toBe(other.id);
      expect((await users.find(former.id))?.login).toBe(`octocat~${former.id}`);
    });

    test("of OpenID Connect keep a login that comes with another subject, which gets a suffix meanwhile", async () => {
      const { users } = current();
      const person = { ...octocat, provider: "oidc", subject: "https://id.example#1" } as const;
      const first = await users.recognize(person, 5);
      const other = await users.recognize({ ...person, subject: "https://id.example#2", login: "OCTOCAT" }, 6);
      expect(other.login).toBe(`OCTOCAT~${other.id}`);
      expect(await users.find(first.id)).toEqual(first);
      await users.recognize({ ...person, login: "mona" }, 7);
      expect(await users.recognize({ ...person, subject: "https://id.example#2" }, 8)).toMatchObject({
        id: other.id,
        login: "octocat",
      });
    });
  });

  test("cannot be kept from their login by one that looks like a suffixed one", async () => {
    const { users } = current();
    const named = (subject: string, login: string) =>
      users.recognize({ provider: "oidc", subject, login, name: null, avatarUrl: null }, 1);
    const { id } = await named("https://id.example#1", "ada");
    const mallory = await named("https://id.example#2", `ada~${id + 2}`);
    expect(mallory.login).toBe(`ada~${id + 2}~${mallory.id}`);
    expect((await named("https://id.example#3", "ada")).login).toBe(`ada~${id + 2}`);
  });

  describe("admission", () => {
    const ada = {
      provider: "oidc",
      subject: "https://id.example#1",
      login: "Ada",
      name: "Ada",
      avatarUrl: null,
    } as const;
    const invitation = { ...ada, subject: "login:ada", login: "ada", name: null } as const;

    test("adds an unknown user with the right that was decided", async () => {
      const { users } = current();
      expect(await users.admit(ada, 5, "open")).toMatchObject({ ...ada, mayOwn: true, createdAt: 5 });
    });

    test("is decided by the right to own sites, the freeze, and the sites shared with the user", async () => {
      const { users, readers } = current();
      const { id } = await users.recognize(ada, 1);
      const owner = await addPerson(current(), "owner");
      await readers.add((await addSite(current(), "diary", owner.id, true)).id, ada, 1);
      expect(await users.admit(ada, 5, "closed")).toMatchObject({ id, mayOwn: false });
      await users.setMayOwn(id, true);
      expect(await users.admit(ada, 5, "closed")).toMatchObject({ id, mayOwn: true });
      await users.setFrozen(id, { at: 1, reason: "unpaid" });
      await expect(users.admit(ada, 5, "open")).rejects.toThrow("frozen: unpaid");
    });

    test("assigns an invitation of the login to the user, once", async () => {
      const { users } = current();
      const invited = await users.recognize(invitation, 1);
      await users.setMayOwn(invited.id, true);
      expect(await users.admit(ada, 2, "closed")).toEqual({ ...invited, ...ada, mayOwn: true });
      const later = await users.admit({ ...ada, subject: "https://id.example#2" }, 3, "open");
      expect(later.id).not.toBe(invited.id);
      expect(later.login).toBe(`Ada~${later.id}`);
    });

    test("that is refused changes no profile, invitation or login", async () => {
      const { users } = current();
      await users.recognize(ada, 1);
      await users.recognize({ ...invitation, subject: "login:bob", login: "bob" }, 1);
      const before = await users.list();
      for (const login of ["ada", "bob", "carol"]) {
        for (const subject of [ada.subject, "https://id.example#2"]) {
          await expect(users.admit({ ...ada, subject, login }, 2, "closed")).rejects.toThrow("not admitted");
        }
      }
      expect(await users.list()).toEqual(before);
    });
  });

  test("invitations of readers are deleted once no site has them, and those of owners stay", async () => {
    const { users, readers, sites } = current();
    const invite = (login: string, at = 10) => {
      const identity = { provider: "oidc", subject: `login:${login}`, login, name: null, avatarUrl: null } as const;
      return users.recognize(identity, at);
    };
    const owner = await addPerson(current(), "owner");
    const { id: siteId } = await addSite(current(), "diary", owner.id, true);
    await users.setMayOwn((await invite("owner")).id, true);
    await users.setFrozen((await invite("frozen")).id, { at: 1, reason: null });
    await invite("young", 20);
    await invite("unused");
    await readers.add(siteId, await invite("reader"), 10);
    const logins = async () => (await users.list()).map(({ provider, login }) => `${provider} ${login}`);
    expect(await users.removeUnusedInvitations(20)).toBe(1);
    expect(await logins()).toEqual(["oidc frozen", "local owner", "oidc owner", "oidc reader", "oidc young"]);
    await sites.delete(siteId, 0, 0);
    expect(await users.removeUnusedInvitations(20)).toBe(1);
  });
}
