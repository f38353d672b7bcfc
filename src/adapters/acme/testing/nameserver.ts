import DNS from "dns2";
import { freePort } from "./free-port.ts";

export interface TestNameserver {
  /** `ip:port` of the server, UDP. */
  readonly address: string;
  close(): Promise<unknown>;
}

/**
 * Starts a name server for a test: every name has the address 127.0.0.1, and names below `_acme-challenge` are asked of
 * the responder at `delegatedTo`, as an NS record would have it.
 */
export async function startNameserver(delegatedTo: () => number | null): Promise<TestNameserver> {
  const port = await freePort();
  const { Packet } = DNS;
  const server = DNS.createServer({
    udp: { type: "udp4" },
    handle: async (request, send) => {
      const response = Packet.createResponseFromRequest(request);
      const [question] = request.questions;
      const responder = delegatedTo();
      if (question?.type === Packet.TYPE.A) {
        const record = { name: question.name, type: question.type, class: 1, ttl: 1, address: "127.0.0.1" };
        response.answers.push(record as unknown as DNS.Packet.Resource);
      } else if (question && responder !== null && question.name.toLowerCase().startsWith("_acme-challenge.")) {
        const ask = DNS.UDPClient({ dns: "127.0.0.1", port: responder });
        const answer = await ask(question.name, "TXT").catch(() => null);
        response.answers.push(...(answer?.answers ?? []));
      }
      await send(response);
    },
  });
  await server.listen({ udp: { port, address: "127.0.0.1" } });
  return { address: `127.0.0.1:${port}`, close: () => server.close() };
}
