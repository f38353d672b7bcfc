import { describe, expect, test } from "bun:test";
import { DomainError } from "../domain/errors.ts";
import { newUploadTable, sharedUploads } from "./upload-table.ts";

const KIB = 1024;
const ADA = 1;
const BOB = 2;

function refusal(act: () => unknown): [string, string] | null {
  try {
    act();
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [error.kind, error.detail];
  }
}

/** The views of two threads on one table. */
function open(limits: { count?: number | null; bytes?: number | null }) {
  const table = newUploadTable();
  const all = { count: null, bytes: null, ...limits };
  return [sharedUploads(table, all), sharedUploads(table, all)] as const;
}

describe("uploads in progress", () => {
  test("are limited in number by owner, over all threads, and an ended one frees its slot", () => {
    const [one, other] = open({ count: 2 });
    const first = one.begin(ADA);
    other.begin(ADA);
    const tooMany = ["too_many_requests", "too many uploads of this owner are under way: at most 2 at once"];
    expect(refusal(() => one.begin(ADA))).toEqual(tooMany as [string, string]);
    expect(refusal(() => other.begin(ADA))).toEqual(tooMany as [string, string]);
    expect(refusal(() => one.begin(BOB))).toBeNull();
    first.end();
    first.end();
    expect(refusal(() => other.begin(ADA))).toBeNull();
    expect(refusal(() => one.begin(ADA))).not.toBeNull();
  });

  test("are limited in size by owner, over all threads, until they end", () => {
    const [one, other] = open({ bytes: 10 * KIB });
    const first = one.begin(ADA);
    const second = other.begin(ADA);
    first.add(6 * KIB);
    second.add(4 * KIB);
    expect(refusal(() => second.add(1))).toEqual([
      "too_many_requests",
      "too many uploads of this owner are under way: at most 10240 bytes together",
    ]);
    second.end();
    const third = other.begin(ADA);
    third.add(4 * KIB);
    const bobs = one.begin(BOB);
    bobs.add(9 * KIB);
    first.end();
    third.add(6 * KIB);
  });

  test("may have any size if there is just one: the limit of archives applies", () => {
    const [one] = open({ bytes: 10 * KIB });
    const alone = one.begin(ADA);
    alone.add(600 * KIB * KIB);
    expect(refusal(() => one.begin(ADA).add(0))).not.toBeNull();
  });

  test("are limited to somewhat more than a thousand in total", () => {
    const [one] = open({});
    const uploads = Array.from({ length: 1024 }, (_, n) => one.begin(n + 1));
    expect(refusal(() => one.begin(ADA))).toEqual([
      "unavailable",
      "too many uploads are under way: try again in a moment",
    ]);
    uploads[7]?.end();
    expect(refusal(() => one.begin(ADA))).toBeNull();
  });
});
