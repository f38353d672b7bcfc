import type { Server } from "bun";

type Fetch = (request: Request, server: Server<undefined>) => Response | Promise<Response>;

/** Hears of a request when its answer is ready; `duration` is in milliseconds. Must not throw. */
export type Observer = (request: Request, server: Server<undefined>, status: number, duration: number) => void;

/** Returns the handler with observers around it; without any, the handler itself: nothing is paid for. */
export function observed(fetch: Fetch, observers: readonly Observer[]): Fetch {
  if (observers.length === 0) return fetch;
  const tell: Observer = (request, server, status, duration) => {
    for (const observer of observers) observer(request, server, status, duration);
  };
  return (request, server) => {
    const started = performance.now();
    const answer = fetch(request, server);
    if (!(answer instanceof Promise)) {
      tell(request, server, answer.status, performance.now() - started);
      return answer;
    }
    return answer.then(
      (response) => {
        tell(request, server, response.status, performance.now() - started);
        return response;
      },
      (error) => {
        // The listener answers 500 for what nobody foresaw.
        tell(request, server, 500, performance.now() - started);
        throw error;
      },
    );
  };
}
