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
