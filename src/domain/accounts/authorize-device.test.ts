import { beforeEach, expect, test } from "bun:test";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { STANDARD_RATES } from "../limits/rate-limit.ts";
import type { Store } from "../ports/store.ts";
import { findDeviceAuthorization, startDeviceAuthorization } from "./authorize-device.ts";

const ADDRESS = "192.0.2.1";

let store: Store;
beforeEach(() => {
  store = temporaryStore();
});

const ports = () => ({ store, clock: { now: () => 1000 }, secrets: systemSecrets, rates: STANDARD_RATES });
const find = (typed: string) => findDeviceAuthorization(ports(), typed, ADDRESS);
const kindOf = (typed: string) =>
  find(typed).then(
    () => "found",
    (error: { kind: string }) => error.kind,
  );

test("a correct code among many that are sent at once is refused like the wrong ones", async () => {
  const { userCode } = await startDeviceAuthorization(ports(), { clientName: "a", address: ADDRESS, scope: null });
  const guesses = [...Array<string>(20).fill("BBBB-BBBB"), userCode];
  expect((await Promise.all(guesses.map(kindOf))).at(-1)).toBe("too_many_requests");
});

test("a correct code does not count against the limit of wrong ones", async () => {
  const { userCode } = await startDeviceAuthorization(ports(), { clientName: "a", address: ADDRESS, scope: null });
  for (let attempt = 1; attempt <= 10; attempt++) expect(await kindOf(userCode)).toBe("found");
  for (let attempt = 1; attempt <= 5; attempt++) expect(await kindOf("BBBB-BBBB")).toBe("not_found");
  expect(await kindOf(userCode)).toBe("too_many_requests");
});
