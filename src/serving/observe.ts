import type { Server } from "bun";

type Fetch = (request: Request, server: Server<undefined>) => Response | Promise<Response>;

/** Hears of a request when its answer is ready; `duration` is in milliseconds. Must not throw. */
export type Observer = (request: Request, peer: string, status: number, duration: number) => void;

/** Returns the handler with observers around it; without any, the handler itself: nothing is paid for. */
export function observed(fetch: Fetch, observers: readonly Observer[]): Fetch {
  if (observers.length === 0) return fetch;
  const tell: Observer = (request, peer, status, duration) => {
    for (const observer of observers) observer(request, peer, status, duration);
  };
  return (request, server) => {
    const started = performance.now();
    // Asked for at once: nothing tells it any more when the client has gone.
    const peer = peerOf(request, server);
    const answer = fetch(request, server);
    if (!(answer instanceof Promise)) {
      tell(request, peer, answer.status, performance.now() - started);
      return answer;
    }
    return answer.then(
      (response) => {
        tell(request, peer, response.status, performance.now() - started);
        return response;
      },
      (error) => {
        // The listener answers 500 for what nobody foresaw.
        tell(request, peer, 500, performance.now() - started);
        throw error;
      },
    );
  };
}

/** Returns the address at the other end of a request's connection; empty when it is closed already. */
export function peerOf(request: Request, server: Pick<Server<undefined>, "requestIP">): string {
  return server.requestIP(request)?.address ?? "";
}
