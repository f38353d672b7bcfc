import type { Database } from "bun:sqlite";
import type { Figures } from "../../../domain/ports/store/figures.ts";

/** Counts what there is; a few milliseconds with a hundred thousand contents. */
export function readFigures(raw: Database): Figures {
  const one = <Row>(query: string) => raw.query<Row, []>(query).get() as Row;
  const people = one<{ users: number }>("SELECT count(*) AS users FROM users");
  const sites = one<{ sites: number; privateSites: number }>(
    "SELECT count(*) AS sites, coalesce(sum(private), 0) AS privateSites FROM sites",
  );
  const deployments = one<{ deployments: number }>("SELECT count(*) AS deployments FROM deployments");
  const contents = one<{ contents: number; contentBytes: number }>(
    "SELECT count(*) AS contents, coalesce(sum(size), 0) AS contentBytes FROM contents",
  );
  const claims = raw
    .query<{ status: string; route: string; count: number }, []>(
      "SELECT status, route_status AS route, count(*) AS count FROM claims GROUP BY status, route_status",
    )
    .all();
  return { ...people, ...sites, ...deployments, ...contents, claims };
}
