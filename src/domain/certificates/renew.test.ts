import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { addClaim } from "../../storage/contract/add-claim.ts";
import { addPerson, addSite } from "../../storage/contract/people.ts";
import { webhookOf } from "../../storage/contract/records.ts";
import { temporaryDatabase, temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import type { Store } from "../ports/store.ts";
import { orderedCertificates, wantOwnCertificates } from "./manage.ts";
import { type RenewalPorts, renewCertificates, updateRenewalInformation } from "./renew.ts";
import { Crash, ManualClock, SimulatedAuthority } from "./testing/simulated-authority.ts";
import { wantedByServer } from "./wanted.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2027, 0, 1);

let database: string;
let store: Store;
let clock: ManualClock;
let ca: SimulatedAuthority;
let second: SimulatedAuthority;
/** The result of the probe; null for success. */
let probeResult: (name: string) => string | null;

beforeEach(async () => {
  database = temporaryDatabase();
  clock = new ManualClock(START);
  ca = new SimulatedAuthority("https://ca.example/directory", () => clock.time);
  second = new SimulatedAuthority("https://second.example/directory", () => clock.time);
  probeResult = () => null;
  restart();
});

function restart() {
  store = temporaryStore(database);
}

function ports(...authorities: SimulatedAuthority[]): RenewalPorts {
  const used = authorities.length > 0 ? authorities : [ca];
  return {
    store,
    lease: null,
    authorities: used,
    probe: { probe: async (name) => probeResult(name) },
    clock,
    random: () => 0.5,
    pause: async () => {},
  };
}

async function claim(...names: string[]) {
  for (const name of names) await orderedCertificates({ store, clock }, [ca.directory]).request(name);
}

/** Advances time until `end`, with a pass whenever the previous one requested it, at least a minute apart. */
async function live(end: number): Promise<void> {
  while (clock.time < end) {
    const { nextAt } = await renewCertificates(ports());
    clock.time = Math.min(end, Math.max(clock.time + MINUTE, nextAt - clock.offset));
  }
}

describe("renewing", () => {
  test("ends after all orders under way, also if the store fails for one of them", async () => {
    await claim("a.example.org", "b.example.org");
    const { install } = store.certificates;
    using _ = spyOn(store.certificates, "install").mockImplementation(async (subject, ...rest) => {
      if (subject === "a.example.org") throw new Error("the database is away");
      await new Promise(setImmediate);
      return install(subject, ...rest);
    });
    await expect(renewCertificates(ports())).rejects.toThrow("the database is away");
    const issued = (await store.certificates.list()).filter(({ current }) => current !== null);
    expect(issued.map(({ subject }) => subject)).toEqual(["b.example.org"]);
  });

  test("notifies webhooks at the time of a certificate's arrival, not at that of its order", async () => {
    const { id: ownerId } = await addPerson(store, "ada");
    const { id: siteId } = await addSite(store, "demo", ownerId, false);
    await store.webhooks.add(webhookOf(siteId, { createdAt: START }), 1);
    await addClaim(store, { hostname: "a.example.org", siteId, ownerId, createdAt: START }, { status: "verified" });
    await claim("a.example.org");
    let requested = 0;
    ca.behaviour = (name) => (name !== "" && requested++ < 3 ? "loses the response" : "issues");
    await live(START + 2 * HOUR);
    const deliveries = await store.webhooks.listDeliveries("all", { limit: 3, before: null });
    const [issued, failing] = deliveries.map(({ event }) => event);
    expect([issued?.type, failing?.type]).toEqual(["certificate.issued", "certificate.failing"]);
    expect(issued!.at).toBeGreaterThan(failing!.at);
    expect((await store.certificates.find("a.example.org"))?.orderedAt).toBe(START);
  });

  test("orders a requested certificate once", async () => {
    await claim("a.example.org", "b.example.org", "a.example.org");
    expect([...(await renewCertificates(ports())).issued].sort()).toEqual(["a.example.org", "b.example.org"]);
    expect((await renewCertificates(ports())).issued).toEqual([]);
    expect(ca.orders).toHaveLength(2);
  });

  test("keeps presenting a certificate that has not expired while its renewal fails", async () => {
    await claim("a.example.org");
    await renewCertificates(ports());
    const [current] = ca.certificatesOf("a.example.org");
    ca.behaviour = () => "finds nothing";
    await live(START + 80 * DAY);
    const certificates = orderedCertificates({ store, clock }, [ca.directory]);
    await store.certificates.setLive(await store.certificates.revision());
    expect((await store.certificates.find("a.example.org"))?.current).toEqual(current!);
    const status = await certificates.status("a.example.org");
    expect(status).toMatchObject({ state: "ready", error: "the CA found no challenge", notAfter: current!.notAfter });
    clock.time = current!.notAfter;
    expect(await certificates.status("a.example.org")).toMatchObject({ state: "failed", notAfter: null });
  });

  test("a name that is released and requested again has no more failed validations within an hour than others", async () => {
    const certificates = orderedCertificates({ store, clock }, [ca.directory]);
    ca.behaviour = () => "finds nothing";
    for (; clock.time < START + HOUR; clock.time += 10 * MINUTE) {
      await claim("a.example.org");
      await renewCertificates(ports());
      await certificates.release("a.example.org");
    }
    expect(ca.failedValidations).toHaveLength(3);
    await claim("a.example.org");
    await renewCertificates(ports());
    expect(ca.failedValidations).toHaveLength(4);
  });

  test("a CA that is down is tried once per pass, however many names wait, and all of them back off", async () => {
    await claim(...Array.from({ length: 50 }, (_, n) => `n${n}.example.org`));
    ca.behaviour = () => "is down";
    const outcome = await renewCertificates(ports());
    expect(ca.questions).toBe(1);
    expect(outcome.failed).toHaveLength(50);
    expect(outcome.nextAt).toBe(START + MINUTE);
  });

  test("the second CA is used after three failures with the first", async () => {
    await claim("a.example.org");
    ca.behaviour = (name) => (name === "" ? "issues" : "is down");
    const requested: boolean[] = [];
    while (second.orders.length === 0) {
      await renewCertificates(ports(ca, second));
      requested.push(second.orders.length > 0);
      clock.time += HOUR;
    }
    expect(requested).toEqual([false, false, false, true]);
    expect((await store.certificates.find("a.example.org"))?.current?.authority).toBe(second.directory);
  });

  test("while the first CA is down, an account with the second allows orders", async () => {
    const { automation } = orderedCertificates({ store, clock }, [ca.directory, second.directory]);
    expect(await automation()).toMatchObject({ ready: false, issuer: ca.directory });
    ca.behaviour = () => "is down";
    const account = { key: "pem", url: "https://second.example/account/1" };
    second.prepare = () => store.acme.saveAccount({ directory: second.directory, ...account });
    await renewCertificates(ports(ca, second));
    expect(await automation()).toMatchObject({ ready: true, issuer: second.directory });
    await store.acme.saveAccount({ directory: ca.directory, ...account });
    expect(await automation()).toMatchObject({ ready: true, issuer: ca.directory });
  });

  test("a CA that fails during an order is still replaced by the second one", async () => {
    await claim("a.example.org");
    ca.behaviour = (name) => (name === "" ? "issues" : "loses the response");
    while (second.orders.length === 0 && clock.time < START + DAY) {
      await renewCertificates(ports(ca, second));
      clock.time += HOUR;
    }
    expect(ca.orders).toHaveLength(1);
    expect((await store.certificates.find("a.example.org"))?.current?.authority).toBe(second.directory);
  });

  test("320 names at once place fewer than 300 orders in three hours, and all get certificates", async () => {
    await claim(...Array.from({ length: 320 }, (_, n) => `n${n}.example.org`));
    await live(START + 6 * HOUR);
    expect(ca.orders).toHaveLength(320);
    for (const { at } of ca.orders) {
      const window = ca.orders.filter((order) => order.at > at - 3 * HOUR && order.at <= at);
      expect(window.length).toBeLessThanOrEqual(300);
    }
  });

  test("a rate limit ends the pass, delays the affected names, and leaves others for later passes", async () => {
    await claim(...Array.from({ length: 20 }, (_, n) => `n${n}.example.org`));
    ca.behaviour = (name) => (name === "" ? "issues" : "is limited");
    const { nextAt } = await renewCertificates(ports());
    const met = [...ca.limited];
    expect(met.length).toBeLessThanOrEqual(4);
    expect(nextAt).toBe(START + MINUTE);
    clock.time += MINUTE;
    await renewCertificates(ports());
    expect(ca.limited.slice(met.length).some((name) => met.includes(name))).toBe(false);
    ca.behaviour = () => "issues";
    await live(START + 3 * HOUR);
    expect(ca.orders).toHaveLength(20);
  });

  test("with a failed probe the CA is tried only once in six hours", async () => {
    await claim("a.example.org");
    probeResult = (name) => `http://${name}/ answers 404`;
    ca.behaviour = () => "finds nothing";
    await live(START + DAY);
    expect(ca.failedValidations.length).toBeLessThanOrEqual(5);
    expect(ca.failedValidations.length).toBeGreaterThanOrEqual(2);
    expect((await store.certificates.find("a.example.org"))?.attempts.error).toBeString();
  });

  test("a name that is released during its order gets no certificate, and no other name is affected", async () => {
    await claim("a.example.org", "b.example.org");
    ca.behaviour = (name) => {
      if (name === "a.example.org") void store.certificates.release(name, clock.time);
      return "issues";
    };
    expect((await renewCertificates(ports())).issued).toEqual(["b.example.org"]);
    expect(await store.certificates.find("a.example.org")).toBeNull();
  });

  test("an order whose response was lost is resumed, also after a restart", async () => {
    await claim("a.example.org");
    ca.behaviour = () => "loses the response";
    await renewCertificates(ports());
    restart();
    ca.behaviour = () => "issues";
    clock.time += HOUR;
    expect((await renewCertificates(ports())).issued).toEqual(["a.example.org"]);
    expect(ca.orders).toHaveLength(1);
  });

  test("a certificate that had expired when its order was resumed is replaced at once", async () => {
    ca = new SimulatedAuthority("https://ca.example/directory", () => clock.time, DAY);
    await claim("a.example.org");
    ca.behaviour = () => "loses the response";
    await renewCertificates(ports());
    ca.behaviour = () => "issues";
    clock.time += 3 * DAY;
    await live(clock.time + HOUR);
    expect(ca.orders).toHaveLength(2);
    expect((await store.certificates.find("a.example.org"))?.current).toEqual(ca.orders[1]!.certificate);
    await live(clock.time + HOUR);
    expect(ca.orders).toHaveLength(2);
  });

  test("the CA's window moves a renewal, and without a response the last window applies", async () => {
    await claim("a.example.org");
    await renewCertificates(ports());
    ca.window = { start: START + 10 * DAY, end: START + 11 * DAY };
    await updateRenewalInformation(ports());
    await live(START + 12 * DAY);
    expect(ca.certificatesOf("a.example.org")).toHaveLength(2);
  });
});

describe("a clock that is", () => {
  test.each([
    ["ahead by 400 days", 400, 2],
    ["ahead by 70 days", 70, 2],
    ["ahead by 30 days", 30, 1],
    ["back by 400 days", -400, 1],
  ])("%s, and right again after three days, causes at most one order", async (_, days, orders) => {
    await claim("a.example.org");
    await live(START + DAY);
    clock.offset = days * DAY;
    await live(START + 4 * DAY);
    clock.offset = 0;
    await live(START + 10 * DAY);
    expect(ca.orders).toHaveLength(orders);
  });

  test.each([
    [70, 2],
    [400, 2],
  ])("ahead by %i days causes at most one order, even if the CA's first response times out", async (days, orders) => {
    await claim("a.example.org");
    await live(START + DAY);
    let requested = 0;
    ca.behaviour = (name) => (name !== "" && requested++ % 2 === 0 ? "loses the response" : "issues");
    clock.offset = days * DAY;
    await live(START + 4 * DAY);
    clock.offset = 0;
    await live(START + 10 * DAY);
    expect(ca.orders).toHaveLength(orders);
  });

  test("set back by a year after a failure does not delay the next attempt by a year", async () => {
    await claim("a.example.org");
    clock.offset = 365 * DAY;
    ca.behaviour = () => "finds nothing";
    await live(START + DAY);
    clock.offset = 0;
    ca.behaviour = () => "issues";
    await live(START + DAY + HOUR);
    expect(ca.certificatesOf("a.example.org")).toHaveLength(1);
  });
});

describe("eight months", () => {
  /** 30 days without the CA, starting when the first renewals are due. */
  const OUTAGE = { start: START + 60 * DAY, end: START + 90 * DAY - 2 * HOUR };
  const names = Array.from({ length: 4 }, (_, n) => `shop-${n}.example.org`);

  test("no renewable certificate expires, and no order is repeated", async () => {
    const hosts = { baseHost: "example.org", sitesDomain: "example.org", wildcard: true };
    await wantOwnCertificates({ store, clock }, wantedByServer(hosts));
    await claim(...names);
    let requested = 0;
    let restarts = 0;
    // DNS of one name in four fails for half of every day, some responses are lost, and the process is killed three times.
    ca.behaviour = (name) => {
      if (clock.time >= OUTAGE.start && clock.time < OUTAGE.end) return "is down";
      const flaps = names.indexOf(name) % 4 === 0 && Math.floor(clock.time / (12 * HOUR)) % 2 === 0;
      if (flaps) return "finds nothing";
      if (name === "") return "issues";
      requested++;
      if (restarts < 3 && requested % 5 === 0) return "outlives the server";
      return requested % 7 === 0 ? "loses the response" : "issues";
    };

    for (const end = START + 240 * DAY; clock.time < end; ) {
      const outcome = await renewCertificates(ports()).catch((error) => {
        if (!(error instanceof Crash)) throw error;
        restarts++;
        restart();
        return null;
      });
      // A pass each minute of the outage would be forty thousand passes.
      const isDown = clock.time >= OUTAGE.start && clock.time < OUTAGE.end - HOUR;
      clock.time = Math.max(clock.time + (isDown ? HOUR : MINUTE), outcome?.nextAt ?? 0);
      await expectNothingExpired(clock.time);
    }
    expect(restarts).toBe(3);
    for (const name of ["example.org", ...names]) expectNoOrderRepeated(name);
    expectLimitsKept();
  });

  async function expectNothingExpired(now: number) {
    for (const { subject, current } of await store.certificates.list()) {
      if (current !== null && current.notAfter <= now) throw new Error(`${subject} has expired`);
    }
  }

  function expectNoOrderRepeated(name: string) {
    const orders = ca.orders.filter((order) => order.name === name);
    // Every order ended in a certificate or a failed validation before the next one was placed.
    expect(orders.filter((order) => !order.failed && order.certificate === null)).toEqual([]);
    const issued = orders.flatMap((order) => (order.certificate ? [order.certificate.notBefore] : []));
    expect(issued.length).toBeGreaterThan(2);
    for (const [n, at] of issued.entries()) if (n > 0) expect(at - issued[n - 1]!).toBeGreaterThanOrEqual(59 * DAY);
  }

  function expectLimitsKept() {
    for (const { name, at } of ca.failedValidations) {
      const hour = ca.failedValidations.filter((one) => one.name === name && one.at > at - HOUR && one.at <= at);
      expect(hour.length).toBeLessThanOrEqual(3);
    }
  }
});
