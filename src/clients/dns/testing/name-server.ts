import dns2 from "dns2";
import { deliver } from "./deliver.ts";

const { Packet } = dns2;

type Packet = InstanceType<typeof Packet>;
type Send = (response: Packet | Buffer) => unknown;

/** The response for one name and type: records, or a failure. */
export type Zone = Record<string, readonly string[] | "NXDOMAIN" | "SERVFAIL" | "REFUSED" | "SILENT" | undefined>;

export interface NameServer {
  readonly address: string;
  readonly port: number;
  /** `TYPE name` → values; can be changed. A name without entries is NXDOMAIN; one with another type is no data. */
  readonly zone: Zone;
  /** The received queries, such as `udp TXT name`. */
  readonly requested: string[];
  /** If set, these are sent in order instead of the zone's response. */
  hostile: ((request: Packet, over: "udp" | "tcp") => readonly (Packet | Buffer | null)[]) | null;
  /** If set, responses wait for it. */
  held: Promise<void> | null;
  stop(): Promise<void>;
}

/** Starts a real name server, over UDP and TCP, on a free loopback port. */
export async function startNameServer(zone: Zone = {}): Promise<NameServer> {
  const requested: string[] = [];
  const handle = (over: "udp" | "tcp") => async (request: Packet, send: Send) => {
    const [question] = request.questions;
    requested.push(`${over} ${Packet.typeName(question?.type ?? 0)} ${question?.name}`);
    await self.held;
    const responses = self.hostile ? self.hostile(request, over) : [answer(request, self.zone)];
    for (const response of responses) if (response !== null) await deliver(send, response);
  };
  const { udp, tcp } = await listenOnBoth(handle);
  const self: NameServer = {
    address: "127.0.0.1",
    port: udp.address().port,
    zone: { ...zone },
    requested,
    hostile: null,
    held: null,
    async stop() {
      udp.close();
      tcp.close();
    },
  };
  return self;
}

/** Returns the zone's response, which a test may change before it is sent. */
export function answer(request: Packet, zone: Zone): Packet | null {
  const response = Packet.createResponseFromRequest(request);
  const [question] = request.questions;
  const name = (question?.name ?? "").toLowerCase();
  const type = Packet.typeName(question?.type ?? 0);
  const said = zone[`${type} ${name}`] ?? zone[`ANY ${name}`];
  if (said === "SILENT") return null;
  if (typeof said === "string") {
    response.header.rcode = Packet.RCODE[said];
    return response;
  }
  const aliases = zone[`CNAME ${name}`];
  if (said === undefined && Array.isArray(aliases)) addRecords(response, name, "CNAME", aliases);
  else if (said !== undefined) addRecords(response, name, type, said);
  else if (!Object.keys(zone).some((key) => key.endsWith(` ${name}`))) response.header.rcode = Packet.RCODE.NXDOMAIN;
  return response;
}

export function addRecords(response: Packet, name: string, type: string, values: readonly string[]): void {
  const code = Packet.TYPE[type as keyof typeof Packet.TYPE];
  for (const value of values) {
    const resource = new Packet.Resource(name, code, Packet.CLASS.IN, 60);
    if (type === "TXT") resource.data = value.match(/.{1,200}/gs) ?? [""];
    else if (type === "CNAME") resource.domain = value;
    else resource.address = value;
    response.answers.push(resource);
  }
}

/** UDP and TCP must have the same port, so several are tried until one is free for both. */
async function listenOnBoth(handle: (over: "udp" | "tcp") => (request: Packet, send: Send) => Promise<void>) {
  for (let attempt = 0; ; attempt++) {
    const udp = dns2.createUDPServer(handle("udp") as never);
    const tcp = dns2.createTCPServer(handle("tcp") as never);
    udp.on("error", () => {});
    await udp.listen(0, "127.0.0.1");
    const { port } = udp.address();
    const taken = await new Promise<boolean>((resolve) => {
      tcp.once("error", () => resolve(true));
      tcp.listen(port, "127.0.0.1", () => resolve(false));
    });
    if (!taken) return { udp, tcp };
    udp.close();
    if (attempt === 20) throw new Error("no port is free for both UDP and TCP");
  }
}
