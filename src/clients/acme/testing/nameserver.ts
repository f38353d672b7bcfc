import DNS from "dns2";
import { freePort } from "../../../testing/free-port.ts";
import { deliver } from "../../dns/testing/deliver.ts";

export interface TestNameserver {
  /** `ip:port` of the server, UDP. */
  readonly address: string;
  /** TXT records by name, which can be changed. */
  readonly texts: Map<string, string[]>;
  close(): Promise<unknown>;
}

/**
 * Starts a name server for a test. Every name has the address 127.0.0.1, and names below `_acme-challenge` are
 * forwarded to the responder at the port `delegatedTo`, as by an NS record.
 */
export async function startNameserver(delegatedTo: () => number | null): Promise<TestNameserver> {
  const port = freePort();
  const { Packet } = DNS;
  const texts = new Map<string, string[]>();
  const add = (response: DNS.Packet, name: string, type: number, content: Record<string, string>) =>
    response.answers.push({ name, type, class: 1, ttl: 1, ...content } as unknown as DNS.Packet.Resource);
  const server = DNS.createServer({
    udp: { type: "udp4" },
    handle: async (request, send) => {
      const response = Packet.createResponseFromRequest(request);
      const [question] = request.questions;
      const responder = delegatedTo();
      const { name = "", type } = question ?? {};
      const known = name.toLowerCase();
      if (type === Packet.TYPE.A) add(response, name, type, { address: "127.0.0.1" });
      else if (type === Packet.TYPE.TXT && known.startsWith("_acme-challenge.") && responder !== null) {
        const ask = DNS.UDPClient({ dns: "127.0.0.1", port: responder });
        const answer = await ask(name, "TXT").catch(() => null);
        response.answers.push(...(answer?.answers ?? []));
      } else if (type === Packet.TYPE.TXT) {
        for (const data of texts.get(known) ?? []) add(response, name, type, { data });
      }
      await deliver(send, response);
    },
  });
  // A response to a client that has closed its socket causes an error on this one.
  server.on("error", () => {});
  await server.listen({ udp: { port, address: "127.0.0.1" } });
  return { address: `127.0.0.1:${port}`, texts, close: () => server.close() };
}
