import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import dns2 from "dns2";
import type { RecordType } from "../../domain/ports/dns.ts";
import { parseResolvConf, resolverDns } from "./lookup.ts";
import { addRecords, answer, type NameServer, startNameServer, type Zone } from "./testing/name-server.ts";

const { Packet } = dns2;

let server: NameServer;
let resolver: string;
const never = new AbortController().signal;

beforeEach(async () => {
  server = await startNameServer();
  resolver = `${server.address}:${server.port}`;
});
afterEach(() => server.stop());

const lookup = (name: string, type: RecordType, more: { address: string; port: number }[] = []) =>
  resolverDns(() => [server, ...more]).lookup(name, type, never);

/** A closed port. */
async function closedPort(): Promise<{ address: string; port: number }> {
  const gone = await startNameServer();
  await gone.stop();
  return { address: "127.0.0.1", port: gone.port };
}

describe("a lookup returns", () => {
  test("all TXT records of a name, with long ones joined", async () => {
    const long = "x".repeat(450);
    server.zone["TXT _p.example.org"] = ["token=abc", long];
    expect(await lookup("_p.example.org", "TXT")).toEqual({
      kind: "records",
      resolver,
      values: ["token=abc", long],
      aliases: [],
      partial: false,
    });
  });

  test("addresses in canonical form, for any case of the name", async () => {
    server.zone["AAAA www.example.org"] = ["2001:0db8:0000:0000:0000:0000:0000:0007"];
    expect(await lookup("WWW.Example.Org.", "AAAA")).toMatchObject({ kind: "records", values: ["2001:db8::7"] });
  });

  test("a name that does not exist", async () => {
    expect(await lookup("gone.example.org", "A")).toEqual({ kind: "nxdomain", resolver, aliases: [] });
  });

  test("a name without such a record", async () => {
    server.zone["A www.example.org"] = ["203.0.113.7"];
    expect(await lookup("www.example.org", "AAAA")).toEqual({ kind: "nodata", resolver, aliases: [] });
  });

  test.each(["SERVFAIL", "REFUSED"] as const)("%s as no statement about the name", async (rcode) => {
    server.zone["A www.example.org"] = rcode;
    expect(await lookup("www.example.org", "A")).toEqual({ kind: "failed", resolver, reason: rcode });
  });

  test("silence for an unreachable resolver", async () => {
    const gone = await closedPort();
    expect(await resolverDns(() => [gone]).lookup("www.example.org", "A", never)).toMatchObject({
      kind: "silent",
      resolver: `127.0.0.1:${gone.port}`,
      reason: expect.stringContaining("connection refused"),
    });
  });

  test("silence if it is aborted", async () => {
    server.zone["A www.example.org"] = "SILENT";
    const answer = resolverDns(() => [server]).lookup("www.example.org", "A", AbortSignal.abort());
    expect(await answer).toMatchObject({ kind: "silent", reason: expect.stringContaining("ran out of time") });
  });
});

describe("several resolvers", () => {
  test("the next one is used if one is unreachable or fails", async () => {
    server.zone["A www.example.org"] = ["203.0.113.7"];
    const failing = await startNameServer({ "A www.example.org": "SERVFAIL" });
    const gone = await closedPort();
    const dns = resolverDns(() => [gone, failing, server]);
    expect(await dns.lookup("www.example.org", "A", never)).toMatchObject({ kind: "records", resolver });
    await failing.stop();
  });

  test("a name that the first one does not know is looked up at the second", async () => {
    const second = await startNameServer({ "A www.example.org": ["203.0.113.7"] });
    const third = await startNameServer({ "A gone.example.org": ["203.0.113.7"] });
    expect(await lookup("www.example.org", "A", [second, third])).toMatchObject({
      kind: "records",
      resolver: `${second.address}:${second.port}`,
    });
    expect(await lookup("gone.example.org", "A", [second, third])).toMatchObject({ kind: "nxdomain", resolver });
    expect(third.requested).toEqual([]);
    await Promise.all([second.stop(), third.stop()]);
  });

  test("a failure or silence of the second does not change the result of the first", async () => {
    const failing = await startNameServer({ "A www.example.org": "SERVFAIL" });
    expect(await lookup("www.example.org", "A", [failing])).toMatchObject({ kind: "nxdomain", resolver });
    expect(await lookup("www.example.org", "A", [await closedPort()])).toMatchObject({ kind: "nxdomain", resolver });
    await failing.stop();
  });

  test("the current configuration applies to each lookup", async () => {
    server.zone["A www.example.org"] = ["203.0.113.7"];
    let configured = [await closedPort()];
    const dns = resolverDns(() => configured);
    expect(await dns.lookup("www.example.org", "A", never)).toMatchObject({ kind: "silent" });
    configured = [server];
    expect(await dns.lookup("www.example.org", "A", never)).toMatchObject({ kind: "records", resolver });
  });

  test("a failure takes precedence over silence", async () => {
    server.zone["A www.example.org"] = "SERVFAIL";
    expect(await lookup("www.example.org", "A", [await closedPort()])).toMatchObject({ kind: "failed" });
  });
});

describe("aliases", () => {
  test("are followed within one response and over several, and reported", async () => {
    server.zone["CNAME www.example.org"] = ["a.example.net"];
    server.zone["CNAME a.example.net"] = ["B.example.net"];
    server.zone["A b.example.net"] = ["203.0.113.7"];
    const expected = { kind: "records", values: ["203.0.113.7"], aliases: ["a.example.net", "b.example.net"] };
    expect(await lookup("www.example.org", "A")).toMatchObject(expected);
    server.hostile = (request) => {
      const response = answer(request, {});
      addRecords(response!, "www.example.org", "CNAME", ["a.example.net"]);
      addRecords(response!, "a.example.net", "CNAME", ["B.example.net"]);
      addRecords(response!, "b.example.net", "A", ["203.0.113.7"]);
      response!.header.rcode = 0;
      return [response];
    };
    server.requested.length = 0;
    expect(await lookup("www.example.org", "A")).toMatchObject(expected);
    expect(server.requested).toHaveLength(1);
  });

  test("to a missing name count as a missing name", async () => {
    server.zone["CNAME www.example.org"] = ["gone.example.net"];
    expect(await lookup("www.example.org", "A")).toMatchObject({ kind: "nxdomain", aliases: ["gone.example.net"] });
  });

  test.each([["www.example.org"], ["b.example.net"]])("in a loop back to %s end", async (back) => {
    server.zone["CNAME www.example.org"] = ["b.example.net"];
    server.zone["CNAME b.example.net"] = ["c.example.net"];
    server.zone["CNAME c.example.net"] = [back];
    expect(await lookup("www.example.org", "A")).toEqual({
      kind: "chain",
      resolver,
      aliases: ["b.example.net", "c.example.net", back],
    });
  });

  test("are followed for at most eight hops", async () => {
    for (let hop = 0; hop < 9; hop++) server.zone[`CNAME ${hop}.example.net`] = [`${hop + 1}.example.net`];
    server.zone["A 9.example.net"] = ["203.0.113.7"];
    expect(await lookup("1.example.net", "A")).toMatchObject({ kind: "records", values: ["203.0.113.7"] });
    expect(await lookup("0.example.net", "A")).toMatchObject({ kind: "chain" });
  });
});

describe("truncated responses without a usable one over TCP", () => {
  const cutOff = (zone: Zone) => (request: dns2.Packet, over: "udp" | "tcp") => {
    const response = answer(request, zone)!;
    if (over === "udp") response.header.tc = 1;
    else response.header.id ^= 1;
    return [response];
  };

  test("count with the records they contain", async () => {
    server.hostile = cutOff({ "TXT _p.example.org": ["token=abc"] });
    expect(await lookup("_p.example.org", "TXT")).toMatchObject({
      kind: "records",
      values: ["token=abc"],
      partial: true,
    });
  });

  test("without records are a failure, and the next resolver is used", async () => {
    server.hostile = cutOff({ "TXT _p.example.org": [] });
    expect(await lookup("_p.example.org", "TXT")).toEqual({
      kind: "failed",
      resolver,
      reason: "too much for UDP, and nothing over TCP",
    });
    const second = await startNameServer({ "TXT _p.example.org": ["token=abc"] });
    expect(await lookup("_p.example.org", "TXT", [second])).toMatchObject({ kind: "records", partial: false });
    await second.stop();
  });
});

describe("hostile responses", () => {
  test("20 kB of records arrive completely over TCP", async () => {
    const values = Array.from({ length: 100 }, (_, index) => `token=${index}`.padEnd(200, "x"));
    server.zone["TXT _p.example.org"] = values;
    expect(await lookup("_p.example.org", "TXT")).toMatchObject({ kind: "records", values });
    // A datagram that is not answered within a second is repeated, as on a busy machine.
    expect([...new Set(server.requested)]).toEqual(["udp TXT _p.example.org", "tcp TXT _p.example.org"]);
  });

  test("NULs and control characters stay within their value", async () => {
    server.zone["TXT _p.example.org"] = ["token=abc\u0000", "\u001b[2J"];
    expect(await lookup("_p.example.org", "TXT")).toMatchObject({ values: ["token=abc\u0000", "\u001b[2J"] });
  });

  test("replies with another id, another question, or the wrong direction are ignored over UDP", async () => {
    server.zone["A www.example.org"] = ["203.0.113.7"];
    const forgeries: ((packet: InstanceType<typeof Packet>) => void)[] = [
      ({ header }) => Object.assign(header, { id: header.id ^ 1 }),
      ({ header }) => Object.assign(header, { qr: 0 }),
      ({ questions }) => Object.assign(questions[0]!, { name: "evil.example.org" }),
      ({ questions }) => Object.assign(questions[0]!, { type: Packet.TYPE.TXT }),
      ({ questions }) => void questions.push(questions[0]!),
    ];
    for (const forge of forgeries) {
      server.hostile = (request) => {
        const truth = answer(request, server.zone)!.toBuffer();
        const forged = answer(request, { "A www.example.org": ["198.51.100.66"] })!;
        forge(forged);
        return [forged, truth];
      };
      expect(await lookup("www.example.org", "A")).toMatchObject({ kind: "records", values: ["203.0.113.7"] });
    }
  });

  test("a reply with another id is ignored over TCP as well", async () => {
    server.hostile = (request, over) => {
      const response = answer(request, { "A www.example.org": ["198.51.100.66"] })!;
      if (over === "udp") {
        response.answers = [];
        response.header.tc = 1;
      } else response.header.id ^= 1;
      return [response];
    };
    expect(await lookup("www.example.org", "A")).toMatchObject({ kind: "failed" });
  });

  test("records of other names in the response are ignored", async () => {
    server.hostile = (request) => {
      const response = answer(request, { "A www.example.org": [] })!;
      addRecords(response, "other.example.org", "A", ["198.51.100.66"]);
      return [response];
    };
    expect(await lookup("www.example.org", "A")).toMatchObject({ kind: "nodata" });
  });

  test("a message that cannot be decoded is a failure, not an absence", async () => {
    server.hostile = (request) => {
      const whole = answer(request, { "A www.example.org": ["203.0.113.7"] })!.toBuffer();
      return [whole.subarray(0, whole.length - 3)];
    };
    expect(await lookup("www.example.org", "A")).toMatchObject({ kind: "failed" });
  });

  test("a server that refuses EDNS gets the query without it", async () => {
    server.zone["A www.example.org"] = ["203.0.113.7"];
    server.hostile = (request) => {
      if (request.additionals.length === 0) return [answer(request, server.zone)];
      return [Packet.createErrorResponseFromRequest(request, Packet.RCODE.FORMERR)];
    };
    expect(await lookup("www.example.org", "A")).toMatchObject({ kind: "records" });
  });
});

test("the system's resolvers are at most three from resolv.conf", () => {
  const text = "# local\nnameserver 192.0.2.1\nsearch example.org\n nameserver fe80::1%eth0\nnameserver nonsense\n";
  expect(parseResolvConf(text)).toEqual([
    { address: "192.0.2.1", port: 53 },
    { address: "fe80::1%eth0", port: 53 },
  ]);
  expect(parseResolvConf("nameserver 192.0.2.1\n".repeat(5))).toHaveLength(3);
});
