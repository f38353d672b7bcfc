import { describe, expect, test } from "bun:test";
import { isFingerprinted } from "./fingerprint.ts";
import buildOutput from "./testing/build-output.json" with { type: "json" };

// Names as real tools generate them: scripts/fixtures/build-output.ts built each site twice. `hashed` names disappeared
// after the content changed, `fixed` ones existed again with other bytes.
describe.each(Object.entries(buildOutput))("the output of %s", (_, { hashed, fixed }) => {
  test.each(hashed.filter((name) => !/\.(html|txt)$/.test(name)))("%s is fingerprinted", (name) => {
    expect(isFingerprinted(name)).toBe(true);
  });

  test.each(fixed)("%s is not", (name) => {
    expect(isFingerprinted(name)).toBe(false);
  });
});
