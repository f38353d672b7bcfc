import { expect, test } from "bun:test";
import { withDomainErrors } from "./translate-errors.ts";

class Translated extends Error {}

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
    () => new Translated(),
  );
  expect([noun.name, noun.count(), await noun.find()]).toEqual(["rows", 3, "rows"]);
  expect(await Array.fromAsync(noun.list())).toEqual([1, 2]);
  expect(() => noun.throws()).toThrow(Translated);
  expect(() => noun.member.throws()).toThrow(Translated);
  expect(noun.rejects()).rejects.toThrow(Translated);
  expect(Array.fromAsync(noun.yields())).rejects.toThrow(Translated);
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
    () => new Translated(),
  );
  for await (const _ of noun.list()) break;
  expect(isEnded).toBe(true);
});
