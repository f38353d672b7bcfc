import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../../adapters/store/sqlite/migrate.ts";
import { openSqliteStore } from "../../adapters/store/sqlite/store.ts";
import type { Store } from "../ports/store.ts";
import { NO_ATTEMPTS } from "./certificate.ts";
import { orderedCertificates, wantOwnCertificates } from "./manage.ts";
import { ManualClock } from "./testing/simulated-authority.ts";
import { wantedByAppliance } from "./wanted.ts";

const CA = "https://ca.example/directory";
const HOST = "pages.example.org";

let folder: string;
let store: Store;
let clock: ManualClock;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-manage-"));
  await migrate(join(folder, "vitrine.db"));
  store = openSqliteStore(join(folder, "vitrine.db"));
  clock = new ManualClock(Date.UTC(2027, 0, 1));
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const ordered = () => orderedCertificates({ store, clock }, [CA]);

/** Files a certificate for a claimed name, as an earlier order brought it. */
async function secured(name: string): Promise<void> {
  await ordered().request(name);
  const times = { notBefore: clock.time, notAfter: clock.time + 1000 };
  const certificate = { names: [name], chain: "chain", key: "key", ...times, authority: CA, renewalId: null };
  await store.certificates.install(name, certificate, clock.time, NO_ATTEMPTS);
}

describe("a name that was claimed before it became the base host", () => {
  const own = wantedByAppliance({ baseHost: HOST, sitesDomain: HOST, wildcard: false });

  test("keeps its certificate when the claim is removed", async () => {
    await secured(HOST);
    await wantOwnCertificates(store, own);
    await ordered().request(HOST);
    await ordered().release(HOST);
    const kept = await store.certificates.find(HOST);
    expect([kept?.origin, kept?.current?.names]).toEqual(["appliance", [HOST]]);
  });
});
