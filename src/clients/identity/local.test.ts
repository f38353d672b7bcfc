import { expect, test } from "bun:test";
import type { User } from "../../domain/model/user.ts";
import { localProvider } from "./local.ts";
import { createPasswords } from "./passwords.ts";

const passwords = createPasswords();
const alice: User = {
  id: 1,
  provider: "local",
  subject: "7f1c",
  login: "alice",
  name: null,
  avatarUrl: null,
  mayOwn: true,
  operator: false,
  createdAt: 0,
  frozen: null,
};

async function provider() {
  const hash = await passwords.hash("correct horse");
  const compared: (string | null)[] = [];
  const users = {
    findByLogin: async (_provider: string, login: string) => (login === "alice" ? alice : null),
    passwordHash: async () => hash,
  };
  const counting = {
    verify: (password: string, against: string | null) => {
      compared.push(against);
      return passwords.verify(password, against);
    },
  };
  return { local: localProvider(users, counting), hash, compared };
}

test("the right password returns the user, a wrong one nobody", async () => {
  const { local, hash } = await provider();
  expect(await local.authenticate("alice", "correct horse")).toEqual({ identity: alice, passwordHash: hash });
  expect(await local.authenticate("alice", "correct horse ")).toBeNull();
  expect(await local.authenticate("alice", "")).toBeNull();
});

test("an unknown login takes as long as a wrong password", async () => {
  const { local, hash, compared } = await provider();
  expect(await local.authenticate("bob", "correct horse")).toBeNull();
  await local.authenticate("alice", "wrong");
  expect(compared).toEqual([null, hash]);
});

test("the hash of nobody matches no password", async () => {
  expect(await passwords.verify("", null)).toBe(false);
});

test("hashes are argon2id with OWASP's parameters and a random salt", async () => {
  const [one, two] = await Promise.all([passwords.hash("same"), passwords.hash("same")]);
  expect(one).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(one).not.toBe(two);
});
