import { describe, expect, test } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSite } from "./people.ts";

/** The contract of the users of a provider: how they are recognized and admitted. */
export function providerPeopleContract(current: () => Store): void {
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
    expect(await users.deleteUnusedInvitations(20)).toBe(1);
    expect(await logins()).toEqual(["oidc frozen", "local owner", "oidc owner", "oidc reader", "oidc young"]);
    await sites.delete(siteId, 0, 0);
    expect(await users.deleteUnusedInvitations(20)).toBe(1);
  });
}
