/** How `..` can be written in a target: each dot as it is, or percent-encoded with either case of the E. */
const DOTS = [".", "%2e", "%2E"];
const SPELLINGS = DOTS.flatMap((first) => DOTS.map((second) => first + second));

/** Below so many folders `..` is found; further down it is resolved like in any browser, and leads nowhere else. */
const MAX_DEPTH = 16;

type Refuse = (request: Request) => Promise<Response>;

/**
 * Returns a route for every target with a `..` segment. Bun resolves such segments before a handler sees the URL, so
 * that `/a/../b` cannot be told from `/b` there; its router alone gets the target as it was sent.
 */
export function dotSegmentRoutes(refuse: Refuse): Record<string, Refuse> {
  const routes: Record<string, Refuse> = {};
  let folder = "";
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    for (const dots of SPELLINGS) {
      routes[`${folder}/${dots}`] = refuse;
      routes[`${folder}/${dots}/*`] = refuse;
    }
    folder += `/:f${depth}`;
  }
  return routes;
}
