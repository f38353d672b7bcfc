import { beforeEach, expect, test } from "bun:test";
import type { NewPasskey } from "../../domain/ports/store/passkeys.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, SHORT_SESSION } from "./people.ts";

/** The contract of passkeys, and of the last way to sign in. */
export function passkeyContract(current: () => Store): void {
  let ada: number;
  let grace: number;
  beforeEach(async () => {
    ada = (await addPerson(current(), "ada")).id;
    grace = (await addPerson(current(), "grace")).id;
  });

  const passkey = (id: string, facts: Partial<NewPasskey> = {}): NewPasskey => ({
    id,
    userId: ada,
    name: `Key ${id}`,
    credentialId: `credential-${id}`,
    relyingPartyId: "pages.example",
    publicKey: new Uint8Array([1, 2, 255]),
    algorithm: -7,
    counter: 0,
    createdAt: 1,
    ...facts,
  });
  const add = (id: string, facts: Partial<NewPasskey> = {}) => current().passkeys.add(passkey(id, facts), 10);
  const idsOf = async (userId: number) => (await current().passkeys.listOfUser(userId)).map(({ id }) => id);

  test("each is found by its credential with its user, and those of a user are listed oldest first", async () => {
    const { passkeys } = current();
    await add("b", { createdAt: 2 });
    await add("a");
    await add("c", { userId: grace });
    expect(await idsOf(ada)).toEqual(["a", "b"]);
    const found = await passkeys.findByCredential("credential-a");
    expect(found?.passkey).toEqual({ ...passkey("a"), publicKey: expect.anything(), lastUsedAt: null });
    expect([...(found?.passkey.publicKey ?? [])]).toEqual([1, 2, 255]);
    expect(found?.user.login).toBe("ada");
    expect(JSON.stringify(found?.user)).not.toContain("hash");
    expect(await passkeys.findByCredential("other")).toBeNull();
  });

  test("no account has more than the most, a known credential, or one after it was deleted", async () => {
    const { passkeys, users } = current();
    const added = await Promise.all(["a", "b", "c", "d"].map((id) => passkeys.add(passkey(id), 3)));
    expect(added.sort()).toEqual(["added", "added", "added", "too_many"]);
    // Any of the four may have been refused.
    const [{ credentialId = "" } = {}] = await passkeys.listOfUser(ada);
    expect(await add("e", { userId: grace, credentialId })).toBe("taken");
    await users.delete(ada);
    expect(await add("f")).toBe("missing");
    expect(await passkeys.findByCredential(credentialId)).toBeNull();
  });

  test("the user alone renames and removes theirs", async () => {
    const { passkeys } = current();
    await add("a");
    expect(await passkeys.rename("a", grace, "Stolen")).toBeNull();
    expect((await passkeys.rename("a", ada, "Laptop"))?.name).toBe("Laptop");
    expect(await passkeys.remove("a", grace, "pages.example")).toBe("missing");
    expect(await passkeys.remove("a", ada, "pages.example")).toBe("removed");
    expect(await passkeys.remove("a", ada, "pages.example")).toBe("missing");
  });

  test("a use is recorded once per counter, and always if the counter stays 0", async () => {
    const { passkeys } = current();
    await add("synced");
    await add("counting", { counter: 4 });
    const use = (id: string, counter: number) => passkeys.recordUse(id, { counter, at: 7 });
    expect([await use("synced", 0), await use("synced", 0)]).toEqual([true, true]);
    expect([await use("counting", 4), await use("counting", 0), await use("counting", 3)]).toEqual([
      false,
      false,
      false,
    ]);
    const twice = await Promise.all([use("counting", 5), use("counting", 5)]);
    expect(twice.sort()).toEqual([false, true]);
    expect((await passkeys.listOfUser(ada)).map(({ counter, lastUsedAt }) => [counter, lastUsedAt])).toEqual([
      [5, 7],
      [0, 7],
    ]);
    expect(await use("gone", 1)).toBe(false);
  });

  test("the last one cannot be removed without a password, nor the password without one", async () => {
    const { passkeys, users } = current();
    const here = "pages.example";
    const session = await addSession(current(), ada);
    await add("old", { relyingPartyId: "before.example" });
    expect(await passkeys.removePassword(ada, session, here)).toBe("last_way_in");
    await add("a");
    await add("b");
    expect(await passkeys.removePassword(ada, session, null)).toBe("last_way_in");
    const other = await addSession(current(), ada);
    expect(await passkeys.removePassword(ada, session, here)).toBe("removed");
    expect(await passkeys.removePassword(ada, session, here)).toBe("missing");
    expect(await users.passwordHash(ada)).toBeNull();
    const open = (await current().sessions.listOfUser(ada, 1)).map(({ id }) => id);
    expect([open.includes(session), open.includes(other)]).toEqual([true, false]);
    const removals = await Promise.all(["a", "b"].map((id) => passkeys.remove(id, ada, here)));
    expect(removals.sort()).toEqual(["last_way_in", "removed"]);
    expect(await passkeys.remove("old", ada, here)).toBe("removed");
    expect(await idsOf(ada)).toHaveLength(1);
  });

  test("one that was removed meanwhile starts no session", async () => {
    const { passkeys, sessions } = current();
    await add("a");
    const start = (tokenHash: string) => sessions.add({ ...SHORT_SESSION, userId: ada, tokenHash }, { passkeyId: "a" });
    expect(await start("first")).not.toBeNull();
    await passkeys.remove("a", ada, "pages.example");
    expect(await start("second")).toBeNull();
  });

  test("a password link removes those that it lists, and only of its account", async () => {
    const { accountLinks } = current();
    for (const id of ["a", "b"]) await add(id);
    await add("c", { userId: grace });
    const link = { kind: "password", login: "ada", userId: ada, name: null, expiresAt: 100 } as const;
    await accountLinks.replace({ ...link, member: null, tokenHash: "t" });
    await accountLinks.acceptPassword("t", { passwordHash: "new", removedPasskeys: ["a", "c", "none"] }, 1);
    expect([await idsOf(ada), await idsOf(grace)]).toEqual([["b"], ["c"]]);
  });
}
