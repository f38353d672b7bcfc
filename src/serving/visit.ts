import type { ViewRecorder } from "../domain/analytics/record-views.ts";
import type { Visitor } from "../domain/ports/connection.ts";
import { decodePath, pathOf, queryOf, withoutQuery } from "../domain/request-target.ts";
import { looksLikeAsset } from "./http/content-type.ts";
import type { Route, ViewCounter } from "./ports.ts";
import type { RequestFacts } from "./resolve.ts";

/** One request for a site. The parts of its URL are computed when they are read. */
export class SiteVisit implements RequestFacts {
  #path: string | null = null;
  #decodedPath: string | null | undefined;

  constructor(
    readonly request: Request,
    readonly visitor: Visitor,
    readonly route: Route,
  ) {}

  /** The absolute URL without the query. */
  get url(): string {
    return withoutQuery(this.request.url);
  }

  /** As sent, without the query. */
  get path(): string {
    this.#path ??= pathOf(this.request.url);
    return this.#path;
  }

  /** The path with its escapes decoded; null if it is invalid. */
  get decodedPath(): string | null {
    if (this.#decodedPath === undefined) this.#decodedPath = decodePath(this.path);
    return this.#decodedPath;
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

/** Returns the counter that passes on only those parts of a visit that the statistics need. */
export function countViews(recorder: ViewRecorder): ViewCounter {
  return {
    count(visit, seen, bytes) {
      const { request, visitor, route } = visit;
      if (seen === "asset" || route.isPreview) {
        recorder.traffic(route.siteId, bytes);
        return;
      }
      const userAgent = request.headers.get("user-agent");
      if (seen === "missing") {
        recorder.traffic(route.siteId, bytes);
        recorder.missing(route.siteId, visit.path, userAgent, looksLikeAsset(visit.path));
        return;
      }
      recorder.view(route.siteId, {
        page: seen,
        userAgent,
        visitor,
        referrer: request.headers.get("referer"),
        host: route.host,
        bytes,
      });
    },
  };
}

/** Calls the next layer with the value: at once if it is there, else when the promise resolves. A cached response never waits. */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
