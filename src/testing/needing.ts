import * as runner from "bun:test";
import { isThere, markOf, type NeedName } from "./needs.ts";

type Runner = Pick<typeof runner, "test" | "describe" | "beforeAll" | "beforeEach" | "afterAll" | "afterEach">;

/**
 * Returns the functions of `bun:test` for tests that need something of the machine:
 *
 *     needing("dig").test("answers over TCP", …);
 *     const { test, beforeAll, afterAll } = needing("browser");   // a whole file
 *
 * Where it is missing, the tests are skipped and say in their names why, and no hook runs: take the hooks of such tests
 * from here as well. `npm test` counts them for each need.
 */
export function needing(...names: readonly NeedName[]): Runner {
  const missing = names.filter((name) => !isThere(name));
  if (missing.length === 0) return runner;
  const mark = markOf(missing);
  return {
    test: skipping(runner.test.skip, mark) as typeof runner.test,
    describe: skipping(runner.describe.skip, mark) as typeof runner.describe,
    beforeAll: ignore,
    beforeEach: ignore,
    afterAll: ignore,
    afterEach: ignore,
  };
}

// --- internal ---

function ignore(): void {}

type Skip = ((name: string, ...rest: never[]) => unknown) & {
  readonly each: (table: never) => (name: string, ...rest: never[]) => unknown;
};

/** The function, and its `each`, with a mark behind every name. */
function skipping(skip: unknown, mark: string): unknown {
  const original = skip as Skip;
  const marked = (name: string, ...rest: never[]) => original(name + mark, ...rest);
  return Object.assign(marked, {
    each:
      (table: never) =>
      (name: string, ...rest: never[]) =>
        original.each(table)(name + mark, ...rest),
  });
}
