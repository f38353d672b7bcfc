import type { Visitor } from "../domain/ports/connection.ts";
import type { Route } from "./ports.ts";
import { splitTarget, withoutQuery } from "./request-path.ts";
import type { RequestFacts } from "./resolve.ts";

/** One request for a site. What its URL holds is looked at only by those who ask. */
export class SiteVisit implements RequestFacts {
  #path: string | null = null;

  constructor(
    readonly request: Request,
    readonly visitor: Visitor,
    readonly route: Route,
  ) {}

  /** The absolute URL without the query. */
  get address(): string {
    return withoutQuery(this.request.url);
  }

  /** As it was sent, without the query. */
  get path(): string {
    this.#path ??= splitTarget(this.request.url).path;
    return this.#path;
  }

  /** Empty, or everything from the `?` on. */
  get query(): string {
    return splitTarget(this.request.url).query;
  }

  get accept(): string | null {
    return this.request.headers.get("accept");
  }

  get secFetchDest(): string | null {
    return this.request.headers.get("sec-fetch-dest");
  }
}
