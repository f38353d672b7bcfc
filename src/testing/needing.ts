import * as runner from "bun:test";
import { isAvailable, markOf, type NeedName, withImplied } from "./needs.ts";

type Runner = Pick<typeof runner, "test" | "describe" | "beforeAll" | "beforeEach" | "afterAll" | "afterEach">;

/**
 * Returns the functions of `bun:test` for tests with needs:
 *
 *     needing("dig").test("answers over TCP", …);
 *     const { test, beforeAll, afterAll } = needing("browser"); // a whole file
 *
 * If a need is missing, the tests are skipped with the reason in their names, and no hook runs, so take the hooks from
 * here as well. `npm test` counts skipped tests by need.
 */
export function needing(...names: readonly NeedName[]): Runner {
  const missing = withImplied(names).filter((name) => !isAvailable(name));
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

/** The function and its `each`, with a mark after every name. */
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
