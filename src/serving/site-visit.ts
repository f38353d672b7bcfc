import type { Visitor } from "../domain/ports/connection.ts";
import { pathOf, queryOf, withoutQuery } from "../domain/request-target.ts";
import type { Route } from "./ports.ts";
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
    this.#path ??= pathOf(this.request.url);
    return this.#path;
  }

  /** Empty, or everything from the `?` on. */
  get query(): string {
    return queryOf(this.request.url);
  }

  get accept(): string | null {
    return this.request.headers.get("accept");
  }

  get secFetchDest(): string | null {
    return this.request.headers.get("sec-fetch-dest");
  }
}
