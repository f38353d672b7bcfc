import { beforeEach, expect, test } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSession } from "./people.ts";
import { publicationOf } from "./publication.ts";

const digest = (letter: string) => letter.repeat(64);
const [A, B, C] = [digest("a"), digest("b"), digest("c")];

/** The contract of contents. `current` returns the store of the running test, which is empty at first. */
export function contentContract(current: () => Store): void {
  let ownerId: number;
  let sessionId: number;
  beforeEach(async () => {
    ownerId = (await addPerson(current(), "ada")).id;
    sessionId = await addSession(current(), ownerId);
  });

  const publish = async (digests: readonly string[], createdAt: number, reused: readonly string[] = []) => {
    const files = digests.map((path) => ({ path, digest: path, size: 5 }));
    const publication = publicationOf({ siteName: "demo", ownerId, sessionId, files, reused, createdAt });
    return current().deployments.publish(publication);
  };
  /** Replaces the first deployment, which is removed, by one with other files. */
  const replaced = async (digests: readonly string[]) => {
    await publish(digests, 10);
    const result = await publish([], 20);
    if (result.outcome !== "published") throw new Error(result.outcome);
    const first = await current().deployments.find(result.site.id, 1);
    await current().retention.deleteDeployments(result.site.id, [first?.id ?? 0], 30);
  };
  const condemn = async (before: number, at: number) =>
    (await Array.fromAsync(current().contents.condemnUnreferenced(before, at, 1))).reduce((sum, some) => sum + some, 0);
  const listed = async () => (await Array.fromAsync(current().contents.list())).map((content) => content.digest);
  const condemnedAt = async (some: string) => (await current().contents.find([some])).get(some)?.condemnedAt;

  test("are found and listed once they are published", async () => {
    await publish([A, B], 10);
    expect(await current().contents.find([A, C])).toEqual(new Map([[A, { condemnedAt: null }]]));
    expect(await Array.fromAsync(current().contents.list())).toEqual([A, B].map((one) => ({ digest: one, size: 5 })));
  });

  test("are condemned once they are old and unreferenced, each once", async () => {
    await replaced([A, B]);
    await publish([B], 40, [B]);
    expect(await condemn(10, 50)).toBe(0);
    expect(await condemn(11, 50)).toBe(1);
    expect(await condemn(11, 60)).toBe(0);
    expect([await condemnedAt(A), await condemnedAt(B)]).toEqual([50, null]);
    expect(await listed()).toEqual([B]);
  });

  test("are condemned in steps, so that others can write in between", async () => {
    await replaced([A, B, C]);
    expect(await Array.fromAsync(current().contents.condemnUnreferenced(11, 50, 2))).toEqual([2, 1]);
  });

  test("that are condemned are not used, and are kept if they are published again", async () => {
    await replaced([A]);
    await condemn(11, 50);
    expect(await publish([A], 60, [A])).toEqual({ outcome: "content_gone" });
    expect(await publish([A], 60)).toMatchObject({ outcome: "published" });
    expect([await condemnedAt(A), await condemn(99, 99)]).toEqual([null, 0]);
  });

  test("that are condemned are listed in pages, and deleted unless they are used again", async () => {
    const { contents } = current();
    await replaced([C, A, B]);
    await condemn(11, 50);
    expect(await contents.listCondemned(50, "", 9)).toEqual([]);
    expect(await contents.listCondemned(51, "", 2)).toEqual([A, B]);
    expect(await contents.listCondemned(51, B, 2)).toEqual([C]);
    await publish([A], 60);
    await contents.deleteCondemned([A, B]);
    expect(await contents.find([A, B, C])).toEqual(
      new Map([
        [A, { condemnedAt: null }],
        [C, { condemnedAt: 50 }],
      ]),
    );
  });
}
