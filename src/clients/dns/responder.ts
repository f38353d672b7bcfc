import { createSocket } from "node:dgram";
import { once } from "node:events";
import DNS from "dns2";
import { messageOf } from "../../domain/error-message.ts";
import { MIN_PAYLOAD_SIZE, type Query, readQuery } from "./query.ts";
import { tcpServer } from "./tcp-server.ts";
import { answerQuestion, type Zones } from "./zone.ts";

const { Packet } = DNS;

interface ResponderAddress {
  /** Null for every interface, IPv4 and IPv6. */
  readonly host: string | null;
  readonly port: number;
}

export interface Responder {
  /** The port for UDP and TCP. */
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts the DNS-01 responder on UDP and TCP. Rejects with a message if the address is not available. Later errors
 * of packets or sockets are passed to `report` and do not stop it.
 */
export async function startResponder(
  { host, port }: ResponderAddress,
  zones: Zones,
  report: (error: unknown) => void,
): Promise<Responder> {
  const address = host ?? "::";
  const udp = createSocket(address.includes(":") ? "udp6" : "udp4");
  udp.on("message", (message, sender) => {
    const answer = answerOverUdp(message, zones);
    // Ignored: the client may be gone, or its address forged.
    if (answer !== null) udp.send(answer, sender.port, sender.address, () => {});
  });
  const tcp = tcpServer((message) => answerOverTcp(message, zones), report);
  const startup = Promise.withResolvers<never>();
  let listening = false;
  udp.on("error", (error: NodeJS.ErrnoException) => {
    if (!listening) startup.reject(error);
    // The client was gone before the answer; Linux reports that on the socket.
    else if (error.code !== "ECONNREFUSED") report(error);
  });
  try {
    udp.bind(port, address);
    await Promise.race([once(udp, "listening"), startup.promise]);
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

// --- internal ---

/** Returns the answer, truncated to the client's maximum; null for no answer. */
function answerOverUdp(message: Buffer, zones: Zones): Buffer | null {
  const query = readQuery(message);
  if (query === null) return null;
  const response = responseTo(query, zones);
  const bytes = response.toBuffer();
  if (bytes.length <= (query.payloadSize ?? MIN_PAYLOAD_SIZE)) return bytes;
  // RFC 2181 section 9: records that do not fit are omitted, and the client repeats over TCP.
  response.header.tc = 1;
  response.answers = [];
  response.authorities = [];
  return response.toBuffer();
}

function answerOverTcp(message: Buffer, zones: Zones): Buffer | null {
  const query = readQuery(message);
  return query && responseTo(query, zones).toBuffer();
}

function responseTo({ id, opcode, recursionDesired, question, payloadSize }: Query, zones: Zones): DNS.Packet {
  const response = new Packet();
  response.header = new Packet.Header({ id, opcode, qr: 1, rd: recursionDesired ? 1 : 0 });
  // RFC 6891 section 6.1.1: a query with EDNS gets a response with EDNS.
  if (payloadSize !== null) response.additionals.push(Packet.Resource.EDNS([]));
  if (question === null) {
    response.header.rcode = opcode === 0 ? Packet.RCODE.FORMERR : Packet.RCODE.NOTIMP;
    return response;
  }
  const { rcode, authoritative, answers, authorities } = answerQuestion(question, zones);
  Object.assign(response.header, { rcode, aa: authoritative ? 1 : 0 });
  response.questions.push(new Packet.Question(question.name, question.type, question.class));
  response.answers.push(...(answers as unknown as DNS.Packet.Resource[]));
  response.authorities.push(...(authorities as unknown as DNS.Packet.Resource[]));
  return response;
}
