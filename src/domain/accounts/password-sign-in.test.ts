import { beforeEach, describe, expect, test } from "bun:test";
import { localProvider } from "../../clients/identity/local.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { STANDARD_RATES } from "../limits/rate-limit.ts";
import type { PasswordProvider } from "../ports/identity.ts";
import type { Store } from "../ports/store.ts";
import type { Passwords } from "../ports/system.ts";
import { MINUTE } from "../timestamp.ts";
import { addAccount } from "./accounts.ts";
import { delayAfter, signInWithPassword } from "./password-sign-in.ts";
import { startSession } from "./sessions.ts";

let store: Store;
let now: number;
let slept: number[];
/** A fast hash, because these tests do not depend on its cost. */
const passwords: Passwords = {
  hash: async (text) => `hash of ${text}`,
  verify: async (text, hash) => hash === `hash of ${text}`,
};

beforeEach(async () => {
  store = temporaryStore();
  now = 0;
  slept = [];
  await addAccount(
    { users: store.users, provider: provider(), passwords, clock },
    { login: "ada", name: null, password },
  );
});

const password = "correct horse";
const clock = { now: () => now };
const provider = () => localProvider(store.users, passwords) as PasswordProvider;

function signIn(attempt: { login?: string; password?: string; address?: string }, by = provider()) {
  const sleep = async (milliseconds: number) => void slept.push(milliseconds);
  const ports = { store, provider: by, clock, signup: "closed", rates: STANDARD_RATES, sleep } as const;
  return signInWithPassword(ports, { login: "ada", password, address: "192.0.2.1", ...attempt });
}

const failure = (attempt: Parameters<typeof signIn>[0]) =>
  signIn(attempt).then(
    () => null,
    (error) => error.kind,
  );

describe("many wrong passwords for one login", () => {
  async function guess(times: number): Promise<void> {
    for (let guessed = 0; guessed < times; guessed++) {
      expect(await failure({ password: "wrong", address: `198.51.100.${guessed}` })).toBe("unauthenticated");
    }
  }

  test("delay every response for it, and still let its user in", async () => {
    await guess(12);
    expect(slept).toEqual([250, 500, 1000, 2000, 2000, 2000, 2000, 2000, 2000]);
    expect((await signIn({})).user.login).toBe("ada");
  });

  test("do not delay other logins, and expire after a quarter of an hour", async () => {
    await guess(4);
    slept = [];
    expect(await failure({ login: "grace" })).toBe("unauthenticated");
    now += 15 * MINUTE;
    await signIn({});
    expect(slept).toEqual([]);
  });

  test("are counted regardless of upper and lower case", async () => {
    await guess(4);
    slept = [];
    await signIn({ login: "ADA" });
    expect(slept).toEqual([500]);
  });
});

test("a password that is replaced while it is verified starts no session", async () => {
  let replaceMeanwhile = async () => {};
  const verify: Passwords["verify"] = async (text, hash) => {
    await replaceMeanwhile();
    return passwords.verify(text, hash);
  };
  const begin = async () => {
    const { user, passwordHash } = await signIn({}, localProvider(store.users, { verify }));
    const session = { userId: user.id, clientName: "a browser", address: null, proof: { passwordHash } };
    return startSession({ store, clock, secrets: systemSecrets }, session);
  };
  const { session } = await begin();
  replaceMeanwhile = async () => void (await store.users.setPassword(session.userId, "hash of something else"));
  await expect(begin()).rejects.toMatchObject({ kind: "unauthenticated" });
});

test("after ten attempts an address is blocked, and others are not", async () => {
  for (let attempt = 0; attempt < 10; attempt++) await signIn({});
  expect(await failure({})).toBe("too_many_requests");
  expect((await signIn({ address: "192.0.2.2" })).user.login).toBe("ada");
});

test("the addresses of an IPv6 subscriber count as one", async () => {
  for (let attempt = 0; attempt < 10; attempt++) await signIn({ address: `2001:db8:1:2::${attempt}` });
  expect(await failure({ address: "2001:db8:1:2:9::" })).toBe("too_many_requests");
  expect((await signIn({ address: "2001:db8:1:3::1" })).user.login).toBe("ada");
});

test.each([
  [0, 0],
  [2, 0],
  [3, 250],
  [4, 500],
  [6, 2000],
  [1000, 2000],
])("%d failures delay by %d ms", (failures, delay) => {
  expect(delayAfter(failures)).toBe(delay);
});
