import type { Server } from "bun";
import { type ListenOptions, listen } from "./listen.ts";
import type { TlsSet } from "./tls.ts";

export interface RotatingListener {
  readonly port: number;
  /**
   * Resolves once every new connection gets another set. Running requests finish unchanged. A listener of Bun cannot
   * change its certificates, so a new one opens on the same port (SO_REUSEPORT) before the old one stops accepting
   * connections. A connection that reaches the old one's queue at that moment is moved if `net.ipv4.tcp_migrate_req` is
   * set, and reset otherwise. After `stop` it does nothing.
   */
  present(tls: TlsSet): Promise<void>;
  /** Refuses new connections; resolves when the last running request has ended. */
  stop(): Promise<void>;
}

/** Listens with a set of certificates that can be replaced. Throws if the address is not available. */
export function rotatingListener(options: Omit<ListenOptions, "tls">, first: TlsSet): RotatingListener {
  const retired = new Set<Promise<void>>();
  let current = listen({ ...options, tls: first.options });
  let presenting = Promise.resolve();
  let isStopped = false;
  const port = current.port ?? options.port;

  const retire = (server: Server<undefined>) => {
    const ended: Promise<void> = server.stop().then(() => {
      retired.delete(ended);
      // The contexts of a stopped listener, 4 kB each, are freed by the next garbage collection, which an idle thread
      // does not run.
      if (server !== current) Bun.gc(true);
    });
    retired.add(ended);
  };

  const present = async (tls: TlsSet) => {
    // Certificates may change while the server drains, and a new listener would accept connections that it then cuts.
    if (isStopped) return;
    const old = current;
    current = listen({ ...options, port, tls: tls.options });
    // Connections arrived while the new listener opened. The old one accepts them in the next turn of the event loop.
    await Bun.sleep(0);
    retire(old);
  };

  return {
    port,
    present(tls) {
      presenting = present(tls);
      return presenting;
    },
    async stop() {
      isStopped = true;
      retire(current);
      // Whoever called it has its error.
      await presenting.catch(() => {});
      await Promise.all(retired);
    },
  };
}
