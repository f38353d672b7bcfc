import { expect, test } from "bun:test";
import { withDomainErrors } from "./translate-errors.ts";

class Told extends Error {}

const fails = (): never => {
  throw new TypeError("in the machine's terms");
};

test("errors of every method are translated, whether it throws, rejects or yields", async () => {
  const noun = withDomainErrors(
    {
      name: "rows",
      count: () => 3,
      async find() {
        return this.name;
      },
      async *list() {
        yield* [1, 2];
      },
      throws: fails,
      async rejects() {
        fails();
      },
      async *yields() {
        yield 1;
        fails();
      },
      member: { throws: fails },
    },
    () => new Told(),
  );
  expect([noun.name, noun.count(), await noun.find()]).toEqual(["rows", 3, "rows"]);
  expect(await Array.fromAsync(noun.list())).toEqual([1, 2]);
  expect(() => noun.throws()).toThrow(Told);
  expect(() => noun.member.throws()).toThrow(Told);
  expect(noun.rejects()).rejects.toThrow(Told);
  expect(Array.fromAsync(noun.yields())).rejects.toThrow(Told);
});

test("an iterator that is closed early ends its source", async () => {
  let isEnded = false;
  const noun = withDomainErrors(
    {
      async *list() {
        try {
          yield* [1, 2];
        } finally {
          isEnded = true;
        }
      },
    },
    () => new Told(),
  );
  for await (const _ of noun.list()) break;
  expect(isEnded).toBe(true);
});
