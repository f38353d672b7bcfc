import { beforeEach, describe, expect, test } from "bun:test";
import type { Attempt } from "../../domain/model/agent.ts";
import type { Store } from "../../domain/ports/store.ts";
import { DAY, HOUR } from "../../domain/timestamp.ts";
import { addPerson, addSession } from "./people.ts";

const REDIRECT = "https://claude.ai/api/mcp/auth_callback";
const RESOURCE = "https://pages.example.org/mcp";
const limit = { permission: "preview", sites: [{ id: 7, name: "blog" }] } as const;
const attempt: Attempt = { clientId: "c", redirectUri: REDIRECT, challenge: "s256", resource: RESOURCE, now: 10 };
const given = {
  refreshHash: "refresh 1",
  accessHash: "access 1",
  session: {
    tokenHash: "family",
    createdAt: 10,
    expiresAt: 10 + 90 * DAY,
    idleLimit: 30 * DAY,
    address: null,
    signedInAt: null,
  },
};

/** The contract of agents: clients that register, codes, and the tokens that they become. */
export function agentContract(current: () => Store): void {
  describe("agents", () => {
    let userId: number;
    let sessionId: number;
    const addCode = (codeHash = "code", lifetime: number | null = null, now = 1) => {
      const { resource: _, now: __, ...asked } = attempt;
      const consent = { clientName: "Claude", userId, resource: RESOURCE, granted: { limit, lifetime } };
      return current().agents.addCode({ ...asked, ...consent, codeHash, expiresAt: 60_000 }, sessionId, now);
    };
    const redeem = (code = "code", other: Partial<Attempt> = {}) =>
      current().agents.redeem(code, { ...attempt, ...other }, given);
    const refresh = (old: number, now: number, clientId = "c") =>
      current().agents.refresh(
        { tokenHash: "family", refreshHash: `refresh ${old}`, clientId },
        { refreshHash: `refresh ${old + 1}`, accessHash: `access ${old + 1}` },
        now,
      );
    const holderOf = async (n: number, now: number) =>
      (await current().agents.findByAccessToken(`access ${n}`, now))?.user.login ?? null;
    const sessionsOfUser = async () => (await current().sessions.listOfUser(userId, 20)).map((one) => one.clientName);

    beforeEach(async () => {
      userId = (await addPerson(current(), "alice")).id;
      sessionId = await addSession(current(), userId, 100 * DAY, 100 * DAY);
    });

    test("that register are forgotten from the oldest on, unless somebody gave them access", async () => {
      const { agents } = current();
      const add = (n: number) =>
        agents.addClient({ id: `c${n}`, name: `agent ${n}`, redirectUris: [REDIRECT], createdAt: n }, 2);
      for (const n of [1, 2]) await add(n);
      expect(await agents.findClient("c1")).toEqual({ id: "c1", name: "agent 1", redirectUris: [REDIRECT] });
      const code = { ...attempt, clientName: "agent 1", userId, granted: { limit, lifetime: null }, expiresAt: 60 };
      const { now: _, ...pending } = { ...code, clientId: "c1", resource: RESOURCE };
      expect(await agents.addCode({ ...pending, codeHash: "code" }, sessionId, 5)).toBe(true);
      for (const n of [3, 4]) await add(n);
      const known = await Promise.all([1, 2, 3, 4].map((n) => agents.findClient(`c${n}`)));
      expect(known.map((client) => client?.id ?? null)).toEqual(["c1", null, "c3", "c4"]);
      expect(await agents.deleteExpired(60, 5)).toBe(1);
      expect(await agents.deleteExpired(60, 6)).toBe(1);
      expect(await agents.findClient("c1")).toBeNull();
    });

    test("redeem a code once, and lose what it gave when it is used again", async () => {
      await addCode();
      const first = await redeem();
      expect(first).toMatchObject({ granted: { resource: RESOURCE, user: { login: "alice" } } });
      expect(first).toMatchObject({
        granted: { session: { clientName: "Claude", clientId: "c", limit, expiresAt: 10 + 90 * DAY } },
      });
      expect(await holderOf(1, 11)).toBe("alice");
      expect(await redeem("code", { challenge: "guessed" })).toEqual({ refusal: "replayed" });
      expect(await holderOf(1, 12)).toBeNull();
      expect(await redeem()).toEqual({ refusal: "unknown" });
    });

    test.each<[Partial<Attempt>, string]>([
      [{ clientId: "other" }, "mismatch"],
      [{ redirectUri: `${REDIRECT}/` }, "mismatch"],
      [{ challenge: "other" }, "mismatch"],
      [{ resource: "https://other.example/mcp" }, "wrong_resource"],
      [{ now: 60_000 }, "unknown"],
    ])("cannot redeem a code with %j, and the code stays", async (other, refusal) => {
      await addCode();
      expect(await redeem("code", other)).toEqual({ refusal } as never);
      expect(await redeem("another")).toEqual({ refusal: "unknown" });
      expect(await redeem("code", { resource: null })).toMatchObject({ granted: { resource: RESOURCE } });
    });

    test("of several attempts at an instant one gets the session, and it is ended by the others", async () => {
      await addCode();
      const results = await Promise.all(Array.from({ length: 6 }, () => redeem()));
      expect(results.filter((result) => "granted" in result)).toHaveLength(1);
      expect(await holderOf(1, 11)).toBeNull();
    });

    test("replace their tokens; the former access token lives on, the former refresh token ends the session", async () => {
      await addCode();
      await redeem();
      const at = 50 * 60_000;
      expect(await refresh(1, at)).toMatchObject({ granted: { session: { lastUsedAt: at } } });
      expect([await holderOf(1, at), await holderOf(2, at)]).toEqual(["alice", "alice"]);
      expect([await holderOf(1, 10 + HOUR), await holderOf(2, 10 + HOUR)]).toEqual([null, "alice"]);
      expect(await holderOf(2, at + HOUR)).toBeNull();
      expect(await refresh(2, at + 1, "other")).toEqual({ refusal: "unknown" });
      expect(await refresh(1, at + 2)).toEqual({ refusal: "replayed" });
      expect([await holderOf(1, at + 3), await holderOf(2, at + 3)]).toEqual([null, null]);
      expect(await refresh(2, at + 4)).toEqual({ refusal: "unknown" });
    });

    test("have no token that outlives their session, which ends 30 days after the last refresh", async () => {
      await addCode("code", 20 * 60_000);
      await redeem();
      expect([await holderOf(1, 20 * 60_000 + 9), await holderOf(1, 20 * 60_000 + 10)]).toEqual(["alice", null]);
      await current().sessions.revokeAll(userId);
      sessionId = await addSession(current(), userId, 100 * DAY, 100 * DAY);
      await addCode("second");
      await redeem("second");
      expect(await refresh(1, 29 * DAY)).toHaveProperty("granted");
      expect(await refresh(2, 59 * DAY)).toEqual({ refusal: "unknown" });
    });

    test("lose codes and tokens with a new password, and tokens with their session", async () => {
      const { agents, users, sessions } = current();
      await addCode("kept");
      await addCode("used");
      await redeem("used");
      await users.setPassword(userId, "another hash");
      expect(await redeem("kept")).toEqual({ refusal: "unknown" });
      expect([await holderOf(1, 11), await sessionsOfUser()]).toEqual([null, []]);
      expect(await addCode("late")).toBe(false);
      sessionId = await addSession(current(), userId, 100 * DAY, 100 * DAY);
      await addCode("again");
      await redeem("again");
      const { session } = (await agents.findByAccessToken("access 1", 11)) ?? {};
      await sessions.revoke(session?.id ?? 0, userId);
      expect(await holderOf(1, 11)).toBeNull();
    });

    test("end by any of their tokens, and only their own", async () => {
      const { agents } = current();
      await addCode();
      await redeem();
      await refresh(1, 20);
      expect(await agents.end({ accessHash: "access 2" }, "other")).toBe(false);
      expect(await agents.end({ accessHash: "access 9" }, null)).toBe(false);
      expect(await agents.end({ tokenHash: "family" }, "other")).toBe(false);
      expect(await holderOf(2, 21)).toBe("alice");
      expect(await agents.end({ accessHash: "access 1" }, "c")).toBe(true);
      expect(await holderOf(2, 21)).toBeNull();
    });

    test("may access a site that they have made", async () => {
      const { agents } = current();
      await addCode();
      await redeem();
      const { session } = (await agents.findByAccessToken("access 1", 11)) ?? {};
      await agents.addSite(session?.id ?? 0, { id: 9, name: "new" });
      const widened = await agents.findByAccessToken("access 1", 11);
      expect(widened?.session.limit).toEqual({ ...limit, sites: [...limit.sites, { id: 9, name: "new" }] });
    });
  });
}
