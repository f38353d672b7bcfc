import { expect, test } from "bun:test";
import { createPasswords } from "./passwords.ts";

test("a password matches its own hash, and nothing matches the hash of nobody", async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash("correct horse");
  expect(hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(await passwords.hash("correct horse")).not.toBe(hash);
  expect(await passwords.verify("correct horse", hash)).toBe(true);
  expect(await passwords.verify("correct horse ", hash)).toBe(false);
  expect(await passwords.verify("correct horse", null)).toBe(false);
  expect(await passwords.verify("", null)).toBe(false);
});

test("one hash is computed at a time, and at most a hundred wait", async () => {
  let running = 0;
  let most = 0;
  const work = async <Result>(result: Result): Promise<Result> => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running -= 1;
    return result;
  };
  const passwords = createPasswords({ hash: () => work("$argon2id$"), verify: () => work(true) });
  const requested = Array.from({ length: 150 }, (_, n) => (n % 2 ? passwords.hash("x") : passwords.verify("x", "$")));
  const outcomes = await Promise.allSettled(requested);
  expect([most, outcomes.filter(({ status }) => status === "fulfilled").length]).toEqual([1, 101]);
  expect(outcomes.at(-1)).toMatchObject({ reason: { kind: "unavailable", extra: { retryAfter: 2 } } });
  expect(await passwords.verify("x", "$")).toBe(true);
});

test("after a failure of the hash of nobody, the next check computes it again", async () => {
  const hashes = [Promise.reject(new Error("no memory")), Promise.resolve("$argon2id$")];
  const hash = () => hashes.shift() ?? Promise.reject(new Error("computed twice"));
  const passwords = createPasswords({ hash, verify: async () => true });
  await expect(passwords.verify("x", "$")).rejects.toThrow("no memory");
  expect(await passwords.verify("x", "$")).toBe(true);
  expect(await passwords.verify("x", null)).toBe(false);
});

test("a failed hash does not block others", async () => {
  const hash = async (password: string) => {
    if (password === "broken") throw new Error("broken");
    return "$argon2id$";
  };
  const passwords = createPasswords({ hash: hash as typeof Bun.password.hash, verify: async () => true });
  const failed = passwords.hash("broken");
  const next = passwords.verify("x", "$");
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe(true);
});
