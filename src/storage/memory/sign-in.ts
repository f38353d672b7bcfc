import { isCodeGoodFor } from "../../domain/access/visit.ts";
import { decidePoll } from "../../domain/accounts/device-authorization.ts";
import { deletedMeanwhile } from "../../domain/errors.ts";
import { sessionsChanged } from "../../domain/events/changes.ts";
import type { DeviceAuthorization } from "../../domain/model/device.ts";
import type { Rate } from "../../domain/model/rate.ts";
import type { DeviceCodeStore } from "../../domain/ports/store/device-codes.ts";
import type { RateLimitStore } from "../../domain/ports/store/rate-limits.ts";
import type { Session, SessionStore, SignInProof } from "../../domain/ports/store/sessions.ts";
import type { SetupLinkStore } from "../../domain/ports/store/setup-links.ts";
import type { SignInAttemptStore } from "../../domain/ports/store/sign-in-attempts.ts";
import type { VisitStore } from "../../domain/ports/store/visits.ts";
import { MINUTE } from "../../domain/timestamp.ts";
import { by, type DeviceCodeRow, type Memory } from "./tables.ts";
import { userOf } from "./users.ts";

export function sessionStore(memory: Memory): SessionStore {
  const { sessions, users } = memory;
  const revoke = (which: { readonly userId: number; readonly id?: number }) => {
    const removed = memory.removeSessions(which);
    if (removed > 0) memory.announce(sessionsChanged(which.userId));
    return removed;
  };
  return {
    async add(session, proof) {
      if (!mayBegin(memory, session.userId, proof)) return null;
      users.update({ id: session.userId }, { lastSeenAt: session.createdAt });
      return sessionOf(sessions.insert({ limit: null, ...session, lastUsedAt: session.createdAt }));
    },
    async findByHash(tokenHash) {
      const session = sessions.find({ tokenHash });
      const user = session && users.find({ id: session.userId });
      return session && user ? { session: sessionOf(session), user: userOf(user) } : null;
    },
    async find(id) {
      const session = sessions.find({ id });
      const user = session && users.find({ id: session.userId });
      return session && user ? { session: sessionOf(session), user: userOf(user) } : null;
    },
    async listOfUser(userId, now) {
      const theirs = sessions.filter((session) => session.userId === userId && !hasEnded(session, now));
      return theirs.toSorted(by(({ id }) => -id)).map(sessionOf);
    },
    async touch(id, at) {
      const [session] = sessions.update({ id }, { lastUsedAt: at });
      if (session) users.update({ id: session.userId }, { lastSeenAt: at });
    },
    confirm: async (id, at) => sessions.update({ id }, { signedInAt: at }).length > 0,
    revokeAll: async (userId) => revoke({ userId }),
    revoke: async (id, userId) => revoke({ id, userId }) > 0,
    deleteExpired: async (now) => memory.removeSessions((session) => hasEnded(session, now)),
  };
}

export function visitStore(memory: Memory): VisitStore {
  const { visitCodes, visits, sites, users, readers, sessions } = memory;
  return {
    async addCode(code) {
      if (!sessions.find({ id: code.sessionId }) || !sites.find({ id: code.siteId })) {
        throw deletedMeanwhile("the session or the site");
      }
      visitCodes.add(code);
    },
    async redeem(codeHash, use, { tokenHash, expiresAt }) {
      const [code] = visitCodes.remove({ codeHash });
      if (!code || !isCodeGoodFor(code, use)) return null;
      const { host, siteId, userId, sessionId } = code;
      visits.add({ tokenHash, host, siteId, userId, sessionId, expiresAt });
      return code;
    },
    async check(tokenHash, host, siteId, now) {
      const visit = visits.find({ tokenHash, host, siteId });
      if (!visit || visit.expiresAt <= now) return "unknown";
      const { userId } = visit;
      const session = sessions.find({ id: visit.sessionId });
      const mayRead = sites.find({ id: siteId, ownerId: userId }) ?? readers.find({ siteId, userId });
      const isFrozen = users.find({ id: userId })?.frozen !== null;
      return session && !hasEnded(session, now) && mayRead && !isFrozen ? "admitted" : "refused";
    },
    async end(tokenHash) {
      visits.remove({ tokenHash });
    },
    async deleteExpired(now) {
      const isOver = ({ expiresAt }: { readonly expiresAt: number }) => expiresAt <= now;
      return visitCodes.remove(isOver).length + visits.remove(isOver).length;
    },
  };
}

export function deviceCodeStore({ deviceCodes, sessions }: Memory): DeviceCodeStore {
  return {
    async add(authorization) {
      const { deviceCodeHash, userCodeHash } = authorization;
      if (deviceCodes.find({ deviceCodeHash }) || deviceCodes.find({ userCodeHash })) return false;
      deviceCodes.insert({ ...authorization, lastPolledAt: null, verdict: "pending", userId: null, granted: null });
      return true;
    },
    async findByUserCode(userCodeHash) {
      return deviceOf(deviceCodes.find({ userCodeHash }));
    },
    async resolve(id, verdict, sessionId, now) {
      const session = sessions.find({ id: sessionId });
      const isOpen = (code: { id: number; verdict: string; expiresAt: number }) =>
        code.id === id && code.verdict === "pending" && code.expiresAt > now;
      return session !== undefined && deviceCodes.update(isOpen, { ...verdict, userId: session.userId }).length > 0;
    },
    async poll(deviceCodeHash, now) {
      const { response, change } = decidePoll(deviceOf(deviceCodes.find({ deviceCodeHash })), now);
      if (change) deviceCodes.update({ deviceCodeHash }, change);
      return response;
    },
    deleteExpired: async (at) => deviceCodes.remove(({ expiresAt }) => expiresAt <= at).length,
  };
}

export function signInAttemptStore({ signInAttempts }: Memory): SignInAttemptStore {
  const find = (secretHash: string, now: number) =>
    signInAttempts.find((attempt) => attempt.secretHash === secretHash && attempt.expiresAt > now) ?? null;
  return {
    async add(attempt) {
      signInAttempts.add(attempt);
    },
    find: async (secretHash, now) => find(secretHash, now),
    async take(secretHash, now) {
      const attempt = find(secretHash, now);
      signInAttempts.remove({ secretHash });
      return attempt;
    },
    async claimPoll(secretHash, now, nextPollAt) {
      const isDue = (attempt: { secretHash: string; nextPollAt: number }) =>
        attempt.secretHash === secretHash && attempt.nextPollAt <= now;
      return signInAttempts.update(isDue, { nextPollAt }).length > 0;
    },
    async replace(secretHash, sealed, nextPollAt) {
      signInAttempts.update({ secretHash }, { sealed, nextPollAt });
    },
    deleteExpired: async (now) => signInAttempts.remove(({ expiresAt }) => expiresAt <= now).length,
  };
}

export function setupLinkStore({ setupLinks }: Memory): SetupLinkStore {
  return {
    async replace(codeHash, expiresAt) {
      setupLinks.remove({});
      setupLinks.add({ codeHash, expiresAt });
    },
    isOpen: async (codeHash, now) => (setupLinks.find({ codeHash })?.expiresAt ?? now) > now,
  };
}

export function rateLimitStore({ rateEvents }: Memory): RateLimitStore {
  const recent = (key: string, window: number, now: number) =>
    rateEvents.filter((event) => event.key === key && isWithin(event.at, window, now)).map(({ at }) => at);
  const waitFor = (key: string, { count, window }: Rate, now: number) => {
    const blocking = recent(key, window, now).sort((one, other) => other - one)[count - 1];
    return blocking === undefined ? 0 : Math.min(blocking - now, 0) + window;
  };
  return {
    async take(key, rate, now) {
      const wait = waitFor(key, rate, now);
      if (wait > 0) return wait;
      rateEvents.remove((event) => event.key === key && !isWithin(event.at, rate.window, now));
      rateEvents.add({ key, at: now });
      return 0;
    },
    async release(key, at) {
      const event = rateEvents.find({ key, at });
      rateEvents.remove((one) => one === event);
    },
    wait: async (key, rate, now) => waitFor(key, rate, now),
    count: async (key, window, now) => recent(key, window, now).length,
    deleteOld: async (window, now) => rateEvents.remove(({ at }) => !isWithin(at, window, now)).length,
  };
}

// --- internal ---

function sessionOf({ tokenHash: _, ...session }: Session & { readonly tokenHash: string }): Session {
  return session;
}

function hasEnded({ expiresAt, lastUsedAt, idleLimit }: Session, now: number): boolean {
  return expiresAt <= now || lastUsedAt + idleLimit <= now;
}

function mayBegin({ users, deviceCodes }: Memory, userId: number, proof: SignInProof | undefined): boolean {
  const user = users.find({ id: userId });
  if (!user) return false;
  if (proof === undefined) return true;
  if ("passwordHash" in proof) return user.passwordHash === proof.passwordHash;
  return deviceCodes.find({ id: proof.deviceCodeId, verdict: "redeemed" }) !== undefined;
}

/** Ignores an event more than a minute ahead, which comes from a clock that was set back since. */
function isWithin(at: number, window: number, now: number): boolean {
  return at > now - window && at <= now + MINUTE;
}

function deviceOf(row: DeviceCodeRow | undefined): DeviceAuthorization | null {
  if (!row) return null;
  const { deviceCodeHash: _, userCodeHash: __, ...device } = row;
  return device;
}
