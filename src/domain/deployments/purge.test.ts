import { beforeEach, expect, test } from "bun:test";
import { sample } from "../../storage/content/contract.ts";
import { openFilesystemContent } from "../../storage/content/filesystem/filesystem.ts";
import { addPerson, addSession, addSite } from "../../storage/contract/people.ts";
import { publishDeployment } from "../../storage/contract/publication.ts";
import { recordEncodings } from "../../storage/contract/record-encodings.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { verify } from "../maintenance/verify.ts";
import type { ContentStore } from "../ports/content.ts";
import type { Store } from "../ports/store.ts";
import { purgeContent } from "./purge.ts";

/** All content was written before this time. */
const LATER = Date.now() + 60_000;

let store: Store;
let content: ContentStore;
let facts: { siteName: string; ownerId: number; sessionId: number };
let siteId: number;
beforeEach(async () => {
  store = temporaryStore();
  content = openFilesystemContent(temporaryFolder());
  const ownerId = (await addPerson(store, "ada")).id;
  siteId = (await addSite(store, "demo", ownerId, false)).id;
  facts = { siteName: "demo", ownerId, sessionId: await addSession(store, ownerId) };
});

/** Publishes a preview with a file of each text. Returns its number. */
async function publish(texts: readonly string[], startedAt = Number.MAX_SAFE_INTEGER): Promise<number> {
  const files = [];
  for (const text of texts) {
    const [digest, bytes] = sample(text);
    await content.put(digest, bytes);
    files.push({ path: `${text}.txt`, digest, size: bytes.length });
  }
  await content.sync();
  return (await publishDeployment(store, { ...facts, files, isPreview: true, startedAt })).deployment.number;
}

const remove = (number: number, at: number) => store.deployments.delete(siteId, number, { at, actor: "ada" });
const purge = (ahead = 0) => purgeContent({ store, content, pause: async () => {} }, LATER, ahead);
const stored = async () => (await Array.fromAsync(content.list())).map(({ digest }) => digest).sort();
const digestOf = (text: string) => sample(text)[0];

test("a purge deletes content that only the deleted deployment had, with its encodings, and no other", async () => {
  const leaked = await publish(["secret", "shared"]);
  const [encoded, bytes] = sample("encoded secret");
  await content.put(encoded, bytes);
  await store.deployments.activate(siteId, leaked, 0);
  await recordEncodings(store, { [digestOf("secret")]: { br: { digest: encoded, size: bytes.length } } });
  await store.deployments.activate(siteId, await publish(["shared"]), 0);
  await remove(leaked, LATER);
  expect(await purge()).toBe(2);
  expect(await stored()).toEqual([digestOf("shared")]);
  expect(await store.contents.find([digestOf("secret")])).toEqual(new Map());
  expect([await purge(), (await verify({ store, content })).problems]).toEqual([0, []]);
});

test("content that an upload wrote since the request stays, also if it is not published yet", async () => {
  const requestedAt = Date.now() - 60_000;
  await remove(await publish(["secret"]), requestedAt);
  const again = await publish(["secret"], requestedAt + 1);
  await remove(await publish(["being uploaded"]), requestedAt);
  expect(await purge()).toBe(0);
  expect(await stored()).toEqual([digestOf("secret"), digestOf("being uploaded")].sort());
  await remove(again, LATER);
  expect([await purge(), await stored()]).toEqual([1, [digestOf("being uploaded")]]);
});

test("the times of content may come from another clock", async () => {
  await remove(await publish(["secret"]), LATER);
  expect(await purge(-120_000)).toBe(0);
  await remove(await publish(["secret"], LATER + 1), 0);
  expect(await purge(LATER)).toBe(1);
});
