/** The spellings of `..` in a target: each dot may be percent-encoded, with either case of the E. */
const DOTS = [".", "%2e", "%2E"];
const SPELLINGS = DOTS.flatMap((first) => DOTS.map((second) => first + second));

/** `..` is refused up to this depth; below, Bun resolves it as browsers do, which leads to no other file than theirs. */
const MAX_DEPTH = 16;

type Refuse = (request: Request) => Promise<Response>;

/**
 * Returns a route for every target with a `..` segment. Bun resolves such segments in the URL that a handler gets, also
 * in that of a wildcard route, so that `/a/../b` is `/b` there. Only its router sees the target as it was sent.
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
