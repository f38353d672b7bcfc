import DNS from "dns2";
import { answerQuestion, type Zones } from "./zone.ts";

const { Packet } = DNS;

export interface ResponderAddress {
  /** Null means every interface, IPv4 and IPv6. */
  readonly host: string | null;
  readonly port: number;
}

export interface Responder {
  /** The port that is listened on, UDP and TCP alike. */
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts the DNS-01 responder on UDP and TCP. Rejects with one sentence when the address cannot be had. What goes wrong
 * later, with a packet or a socket, is handed to `report` and stops nothing.
 */
export async function startResponder(
  { host, port }: ResponderAddress,
  zones: Zones,
  report: (error: unknown) => void,
): Promise<Responder> {
  const type = host === null || host.includes(":") ? "udp6" : "udp4";
  const server = DNS.createServer({
    udp: { type },
    tcp: true,
    handle: (request, send) => {
      const response = responseTo(request, zones);
      if (response !== null) void deliver(send, response);
    },
  });
  // A packet that cannot be read is noise from the internet; nothing is answered and nothing is logged.
  server.on("requestError", () => {});
  const address = host ?? "::";
  const startup = Promise.withResolvers<never>();
  let listening = 0;
  server.on("error", (error: NodeJS.ErrnoException) => {
    if (listening === 0) startup.reject(error);
    // An asker that is gone by the time of the answer; Linux tells the socket about it.
    else if (error.code !== "ECONNREFUSED") report(error);
  });
  try {
    listening = await Promise.race([listenOnBoth(server, address, port), startup.promise]);
  } catch (error) {
    void server.close();
    throw new Error(`the DNS responder cannot listen on ${address} port ${port}: ${(error as Error).message}`);
  }
  return {
    port: listening,
    close: async () => {
      await server.close();
    },
  };
}

/** Sends an answer. A sender that is gone by now, or with an address that is made up, is none of our concern. */
export async function deliver<Answer>(send: (answer: Answer) => unknown, answer: Answer): Promise<void> {
  try {
    await send(answer);
  } catch {}
}

// --- internal ---

type Server = ReturnType<typeof DNS.createServer>;

async function listenOnBoth(server: Server, address: string, port: number): Promise<number> {
  const { udp, tcp } = await server.listen({ udp: { port, address }, tcp: { port, address } });
  const [udpPort, tcpPort] = [udp, tcp].map((one) => (one as { port: number }).port);
  if (udpPort === undefined || udpPort !== tcpPort) throw new Error("UDP and TCP got different ports");
  return udpPort;
}

function responseTo(request: DNS.Packet, zones: Zones): DNS.Packet | null {
  // An answer is never answered: two responders would go on for ever.
  if (request.header.qr === 1) return null;
  const response = Packet.createResponseFromRequest(request);
  const [question] = request.questions;
  if (request.header.opcode !== 0) {
    response.header.rcode = Packet.RCODE.NOTIMP;
  } else if (!question || request.questions.length !== 1 || request.errors.length > 0) {
    response.header.rcode = Packet.RCODE.FORMERR;
  } else {
    const { rcode, authoritative, answers, authorities } = answerQuestion(question, zones);
    Object.assign(response.header, { rcode, aa: authoritative ? 1 : 0 });
    response.answers.push(...(answers as unknown as DNS.Packet.Resource[]));
    response.authorities.push(...(authorities as unknown as DNS.Packet.Resource[]));
  }
  // RFC 6891 section 6.1.1: who speaks EDNS is answered in EDNS.
  if (request.additionals.some((one) => one.type === Packet.TYPE.EDNS)) {
    response.additionals.push(Packet.Resource.EDNS([]));
  }
  return response;
}
