import DNS from "dns2";
import { messageOf } from "../../domain/error-message.ts";
import { tcpServer } from "./tcp-server.ts";
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
  const address = host ?? "::";
  const udp = DNS.createUDPServer({ type: address.includes(":") ? "udp6" : "udp4" });
  // A packet that cannot be read is noise from the internet; nothing is answered and nothing is logged.
  udp.on("request", (request, send) => {
    const response = responseTo(request, zones);
    if (response !== null) void deliver(send, response);
  });
  const tcp = tcpServer((message) => responseTo(Packet.parse(message), zones)?.toBuffer() ?? null, report);
  const startup = Promise.withResolvers<never>();
  let listening = false;
  udp.on("error", (error: NodeJS.ErrnoException) => {
    if (!listening) startup.reject(error);
    // An asker that is gone by the time of the answer; Linux tells the socket about it.
    else if (error.code !== "ECONNREFUSED") report(error);
  });
  try {
    await Promise.race([udp.listen(port, address), startup.promise]);
    listening = true;
    const { port: taken } = udp.address();
    await tcp.listen(taken, address);
    return {
      port: taken,
      async close() {
        udp.close();
        await tcp.close();
      },
    };
  } catch (error) {
    udp.close();
    throw new Error(`the DNS responder cannot listen on ${address} port ${port}: ${messageOf(error)}`);
  }
}

/** Sends an answer. A sender that is gone by now, or with an address that is made up, is none of our concern. */
export async function deliver<Answer>(send: (answer: Answer) => unknown, answer: Answer): Promise<void> {
  try {
    await send(answer);
  } catch {}
}

// --- internal ---

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
