import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { Caller, SessionCaller } from "../domain/accounts/caller.ts";
import type { User } from "../domain/accounts/user.ts";
import type { RoutePorts } from "./ports.ts";

/**
 * Who may call a route. The handler's use case enforces ownership, because it has to load the site anyway; the rest is
 * enforced before the handler runs.
 *
 * - `public`: anybody; no credential is read
 * - `optional`: anybody; a valid credential is passed on
 * - `credential`: any valid credential
 * - `session`: a person
 * - `owner`: a person, who must own the site
 * - `site-owner`: the same, but a deployment token is told that site ownership is required
 * - `operator`: a person who operates the server
 * - `deployer`: the site's owner, or a deployment token of the site
 */
export type Auth = "public" | "optional" | "credential" | "session" | "owner" | "site-owner" | "deployer" | "operator";

type CallerOf<A extends Auth> = {
  public: null;
  optional: Caller | null;
  credential: Caller;
  session: SessionCaller;
  owner: Caller;
  "site-owner": Caller;
  deployer: Caller;
  operator: SessionCaller;
}[A];

/** How the body of a request is read; `raw` leaves it to the handler. GET requests have none. */
type BodyFormat = "json" | "json-or-form" | "raw";

/** What an error status means in one operation. */
export type ErrorMeanings = Readonly<
  Partial<Record<400 | 401 | 403 | 404 | 408 | 409 | 413 | 429 | 502 | 503 | 507, string>>
>;

/** A request header in the OpenAPI document. */
export interface HeaderParameter {
  readonly name: string;
  readonly in: "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: { readonly type: "string"; readonly enum?: readonly string[] };
}

/** Named values that an audit record is about. `name` is the site, if the path does not have it. */
export type AuditSubject = Readonly<Record<string, string | undefined>>;

/** The sentence that people read for an audit record; null for operations that are not recorded. */
export type AuditSummary = string | ((subject: AuditSubject) => string) | null;

/** What a handler gets: everything in it is validated. */
export interface Call<P = unknown, Q = unknown, B = unknown, C = Caller | null> {
  readonly caller: C;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly request: Request;
  readonly ports: RoutePorts;
}

export interface ReplyOptions {
  /** By default the lowest status of the route's `response`, or 204. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the path parameters in the audit record. */
  readonly audit?: AuditSubject;
  /** Who made the change, where the request carries no credential of theirs. */
  readonly madeBy?: User;
}

/** A body together with what else a handler has to say. */
export class Reply<T> {
  constructor(
    readonly body: T,
    readonly options: ReplyOptions,
  ) {}
}

export function reply<const T>(body: T, options: ReplyOptions): Reply<T> {
  return new Reply(body, options);
}

/** One operation: routing, validation, the OpenAPI document, the permission test and the audit record use it. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Null for addresses that are not in the OpenAPI document. */
  readonly summary: string | null;
  readonly description?: string;
  readonly tag: string;
  readonly auth: Auth;
  readonly params: TObject;
  readonly query: TObject | null;
  /** Headers that the handler reads, for the document. */
  readonly headers?: readonly HeaderParameter[];
  readonly body: TSchema | null;
  readonly bodyFormat: BodyFormat;
  /** Media type of a `raw` body, for the document; multipart/form-data by default. */
  readonly rawType?: string;
  /** Schema of the body by status; empty for an operation that responds with 204, or with a `Response`. */
  readonly response: Readonly<Record<number, TSchema>>;
  /** Media type of a successful response that is not JSON. */
  readonly produces?: string;
  readonly errors: ErrorMeanings;
  readonly audit: AuditSummary;
  /** Whether the use case adds the audit record, in the transaction of the change. */
  readonly recordsItself?: boolean;
  handler(call: Call): unknown;
}

type PathNames<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? PathNames<Segment> | PathNames<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never;

type ParamsOf<Path extends string, P extends TProperties> = {
  [Name in PathNames<Path>]: Name extends keyof P ? Static<P[Name]> : string;
};

type BodyOf<R> = R extends Record<number, infer S extends TSchema> ? Static<S> : undefined;
type Outcome<R> = BodyOf<R> | Reply<BodyOf<R> | Response> | Response;

/** The audit sentence of a route: required for operations that may change something. */
type Audit<M> = M extends "GET" ? { readonly audit?: AuditSummary } : { readonly audit: AuditSummary };

/** Declares a route. Path parameters are strings unless `params` has another schema for them. */
export function route<
  const M extends Route["method"],
  const Path extends string,
  const A extends Auth,
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TSchema | undefined = undefined,
  R extends Record<number, TSchema> | undefined = undefined,
>(
  declared: {
    readonly method: M;
    readonly path: Path;
    readonly summary: string;
    readonly description?: string;
    readonly tag: string;
    readonly auth: A;
    readonly params?: P;
    readonly query?: Q;
    readonly headers?: readonly HeaderParameter[];
    readonly body?: B;
    readonly bodyFormat?: BodyFormat;
    readonly rawType?: string;
    readonly response?: R;
    readonly produces?: string;
    readonly errors?: ErrorMeanings;
    readonly recordsItself?: boolean;
    handler(
      call: Call<ParamsOf<Path, P>, Static<TObject<Q>>, B extends TSchema ? Static<B> : undefined, CallerOf<A>>,
    ): Outcome<R> | Promise<Outcome<R>> | (undefined extends R ? Promise<void> : never);
  } & Audit<M>,
): Route {
  const { params = {}, query, body = null, response = {}, errors = {}, bodyFormat = "json", audit = null } = declared;
  return {
    ...declared,
    params: pathSchema(declared.path, Type.String(), params),
    query: query ? objectOf(query) : null,
    body,
    bodyFormat,
    response,
    errors,
    audit,
  } as unknown as Route;
}

/** Declares an address that is not part of the documented API: pages for people, and their files. */
export function pageRoute<const Path extends string>(declared: {
  readonly method: "GET" | "POST";
  readonly path: Path;
  readonly audit?: string;
  handler(call: Call<{ [Name in PathNames<Path>]: string | null }, unknown, undefined, null>): PageResult;
}): Route {
  return {
    audit: null,
    ...(declared as Pick<Route, "method" | "path" | "handler">),
    summary: null,
    tag: "",
    auth: "public",
    // A part of the path that cannot be decoded is null.
    params: pathSchema(declared.path, Type.Any()),
    query: null,
    body: null,
    bodyFormat: "raw",
    response: {},
    errors: {},
  };
}

type PageResult = Response | Reply<Response> | Promise<Response | Reply<Response>>;

function pathSchema(path: string, standard: TSchema, schemas: TProperties = {}): TObject {
  const names = path.split("/").flatMap((segment) => (segment.startsWith(":") ? [segment.slice(1)] : []));
  return objectOf(Object.fromEntries(names.map((name) => [name, schemas[name] ?? standard])));
}

function objectOf(properties: TProperties): TObject {
  return Type.Object(properties);
}
