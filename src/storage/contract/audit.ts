import { beforeEach, expect, test } from "bun:test";
import type { AuditEntry, KeptAuditEntry } from "../../domain/ports/store/audit.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession, addSite } from "./people.ts";
import { publicationOf } from "./publication.ts";

/** The contract of the audit log. `current` returns the store of the running test, which is empty at first. */
export function auditContract(current: () => Store): void {
  let ada: number;
  let eve: number;
  beforeEach(async () => {
    ada = (await addPerson(current(), "ada")).id;
    eve = (await addPerson(current(), "eve")).id;
  });

  const note = (at: number, entry: Partial<AuditEntry> = {}) =>
    current().audit.append({
      at,
      kind: "session",
      actor: "ada",
      userId: ada,
      address: "203.0.113.9",
      action: `POST /at/${at}`,
      site: null,
      subject: "",
      ...entry,
    });
  const all = { limit: 100, before: null };
  const timesOf = (entries: readonly AuditEntry[]) => entries.map(({ at }) => at);

  test("entries are listed newest first, in pages, for one name or all", async () => {
    const { audit } = current();
    for (const at of [1, 2, 3, 4, 5]) await note(at, { site: at % 2 === 0 ? "even" : null });
    const [newest, next] = await audit.list({}, { limit: 2, before: null });
    expect(newest).toEqual({
      id: 5,
      at: 5,
      kind: "session",
      actor: "ada",
      userId: ada,
      address: "203.0.113.9",
      action: "POST /at/5",
      site: null,
      subject: "",
    });
    expect(timesOf(await audit.list({}, { limit: 2, before: next?.id ?? 0 }))).toEqual([3, 2]);
    expect(timesOf(await audit.list({ site: "even" }, all))).toEqual([4, 2]);
    expect(timesOf(await audit.list({ site: "even", from: 3 }, all))).toEqual([4]);
    expect(timesOf(await audit.list({ from: 2, to: 4 }, all))).toEqual([3, 2]);
    expect(await audit.list({ actor: "nobody" }, all)).toEqual([]);
    expect(await audit.list({ action: "nothing" }, all)).toEqual([]);
    expect(await audit.list({ site: "odd" }, all)).toEqual([]);
  });

  test("an owner finds their own changes and those of their sites, each once, and no others", async () => {
    const { audit, deployments, sites } = current();
    await addSite(current(), "adas", ada, false);
    await addSite(current(), "eves", eve, false);
    await note(1, { site: "adas" });
    await note(2, { site: "adas", kind: "deployment_token", actor: "CI", userId: null });
    await note(3, { site: "eves", actor: "eve", userId: eve });
    await note(4);
    await note(5, { actor: "eve", userId: eve });
    await note(6, { site: "adas", kind: "operator", actor: "root", userId: null });
    expect(timesOf(await audit.listOfOwner(ada, all))).toEqual([6, 4, 2, 1]);
    expect(timesOf(await audit.listOfOwner(eve, all))).toEqual([5, 3]);
    expect(timesOf(await audit.listOfOwner(ada, { limit: 2, before: 6 }))).toEqual([4, 2]);

    // A name that gets a new owner does not bring its earlier entries.
    await sites.delete((await sites.find("adas"))?.id ?? 0, 0, 0);
    const sessionId = await addSession(current(), eve);
    const again = publicationOf({ siteName: "adas", ownerId: eve, sessionId, actor: "eve", createdAt: 10 });
    await deployments.publish(again);
    await note(11, { site: "adas", actor: "eve", userId: eve });
    expect(timesOf(await audit.listOfOwner(eve, all))).toEqual([11, 5, 3]);
    expect(timesOf(await audit.listOfOwner(ada, all))).toEqual([4, 1]);
  });

  test("a publication adds its entry in its transaction, and a refused one adds none", async () => {
    const { audit, deployments } = current();
    const sessionId = await addSession(current(), ada);
    const requestedBy = { userId: ada, address: "203.0.113.9" };
    const publication = publicationOf({ siteName: "adas", ownerId: ada, sessionId, requestedBy, createdAt: 3 });
    await deployments.publish(publication);
    await deployments.publish({ ...publication, reused: ["f".repeat(64)] });
    const { createdAt: at, siteName: site } = publication;
    const entry = { id: 1, at, kind: "session", actor: "ada", ...requestedBy, action: "POST /deploy", site };
    expect(await audit.list({}, all)).toEqual([{ ...entry, subject: "deployment_number=1" } as KeptAuditEntry]);
    expect(await current().checkIntegrity()).toEqual([]);
  });

  test("the oldest entries are deleted in batches, up to the first one that is recent enough", async () => {
    const { audit } = current();
    // A clock that was temporarily wrong must not create a gap.
    for (const at of [1, 2, 3, 9, 4, 10]) await note(at);
    expect(await audit.deleteOldest(5, 2)).toBe(2);
    expect(await audit.deleteOldest(5, 2)).toBe(1);
    expect(await audit.deleteOldest(5, 2)).toBe(0);
    expect(timesOf(await audit.list({}, all))).toEqual([10, 4, 9]);
    expect(await current().checkIntegrity()).toEqual([]);
  });

  test("the chain holds for any text, and for entries without a user or a site", async () => {
    const controls = String.fromCharCode(...Array.from({ length: 31 }, (_, index) => index + 1), 127);
    const texts = ['"quoted" \\ and / slashed', controls, "ä 漢字 🙂 \u2028", " ", "null", "1,2]"];
    for (const [at, text] of texts.entries()) {
      await note(at, { subject: text, site: text, actor: text });
      await note(at, { subject: text, userId: null, kind: "operator" });
    }
    const [newest] = await current().audit.list({}, { limit: 1, before: null });
    expect(newest).toMatchObject({ subject: "1,2]", site: null, userId: null });
    expect(await current().checkIntegrity()).toEqual([]);
  });

  test("a log whose entries were all deleted continues with the next id", async () => {
    const { audit } = current();
    for (const at of [1, 2]) await note(at);
    expect(await audit.deleteOldest(5, 100)).toBe(2);
    await note(7);
    expect((await audit.list({}, all)).map(({ id }) => id)).toEqual([3]);
    expect(await current().checkIntegrity()).toEqual([]);
  });
}
