import { setSystemTime } from "bun:test";
import { Webhook as Verifier } from "standardwebhooks";

/** A request to the receiver. */
interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

/** The receiver of webhooks, on a real socket. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** The response from now on. Defaults to 204. */
  respond: (request: Received) => Response | Promise<Response>;
  /** Resolves with all requests once there are this many. */
  until(count: number): Promise<readonly Received[]>;
  stop(): Promise<void>;
}

export function startReceiver(): Receiver {
  const received: Received[] = [];
  let waiting: (() => void)[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    async fetch(request) {
      const body = await request.text();
      const headers = Object.fromEntries(request.headers);
      const one = { headers, body, event: JSON.parse(body) as Received["event"] };
      received.push(one);
      for (const look of waiting.splice(0)) look();
      return self.respond(one);
    },
  });
  const self: Receiver = {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    respond: () => new Response(null, { status: 204 }),
    async until(count) {
      while (received.length < count) await new Promise<void>((resolve) => (waiting = [...waiting, resolve]));
      return received;
    },
    stop: () => server.stop(true),
  };
  return self;
}

/** Verifies a delivery as a receiver does whose clock shows `at`. Throws if the signature is invalid. */
export function verify(secret: string, { headers, body }: Received, at: number): unknown {
  setSystemTime(new Date(at));
  try {
    return new Verifier(secret).verify(body, headers);
  } finally {
    setSystemTime();
  }
}
