import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { Caller, LimitedSessionCaller, SessionCaller } from "../domain/model/caller.ts";
import type { Operation } from "../domain/model/role.ts";
import type { User } from "../domain/model/user.ts";
import type { RoutePorts } from "./ports.ts";

/**
 * The callers of a route. The handler's use case judges the role on a site, because it has to load the site anyway; the
 * rest is enforced before the handler runs.
 *
 * - `public`: anybody; no credential is read
 * - `optional`: anybody; a valid credential is passed on
 * - `credential`: any valid credential
 * - `session`: a user
 * - `person`: a user, also with a session of limited scope, which may use it for itself
 * - `site`: who may call the route's operation on the site (`OPERATIONS`)
 * - `operator`: an operator of the server
 */
export type Auth = "public" | "optional" | "credential" | "session" | "person" | "site" | "operator";

type CallerOf<A extends Auth> = {
  public: null;
  optional: Caller | null;
  credential: Caller;
  session: SessionCaller;
  person: SessionCaller | LimitedSessionCaller;
  site: Caller;
  operator: SessionCaller;
}[A];

/** The format of a request's body; `raw` leaves it to the handler. GET requests have none. */
type BodyFormat = "json" | "json-or-form" | "raw";

/** The meanings of error statuses in one operation. */
export type ErrorMeanings = Readonly<
  Partial<Record<400 | 401 | 403 | 404 | 408 | 409 | 413 | 414 | 429 | 502 | 503 | 507, string>>
>;

/** A request header in the OpenAPI document. */
interface HeaderParameter {
  readonly name: string;
  readonly in: "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: { readonly type: "string"; readonly enum?: readonly string[] };
}

/** The subject of an audit record, as named values. `name` is the site. */
export type AuditSubject = Readonly<Record<string, string | undefined>>;

/** The sentence that describes an audit record; null for operations that are not recorded. */
type AuditSummary = string | ((subject: AuditSubject) => string) | null;

/** The arguments of a handler; all values are validated. */
export interface Call<P = unknown, Q = unknown, B = unknown, C = Caller | null> {
  readonly caller: C;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly request: Request;
  readonly ports: RoutePorts;
}

export interface ReplyOptions {
  /** Defaults to the lowest status of the route's `response`, or 204. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the path parameters in the audit record. */
  readonly audit?: AuditSubject;
  /** The user who made the change, if the request has no credential of theirs. */
  readonly madeBy?: User;
}

/** A body with a status, headers or an audit subject. */
export class Reply<T> {
  constructor(
    readonly body: T,
    readonly options: ReplyOptions,
  ) {}
}

export function reply<const T>(body: T, options: ReplyOptions): Reply<T> {
  return new Reply(body, options);
}

/** One operation. Routing, validation, the OpenAPI document, the permission test and the audit record are derived from it. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Null for routes that are not in the OpenAPI document. */
  readonly summary: string | null;
  readonly description?: string;
  readonly tag: string;
  readonly auth: Auth;
  /** What the caller does with the site; null for a route that is not about one. */
  readonly operation: Operation | null;
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
  /** True if conditions and ranges of such a response are answered. */
  readonly ranged?: boolean;
  /** Media type that a client may ask for instead of JSON, for the document. */
  readonly alternative?: string;
  readonly errors: ErrorMeanings;
  readonly audit: AuditSummary;
  /** True if the use case adds the audit record, in the transaction of the change. */
  readonly recordsItself?: boolean;
  handler(call: Call): unknown;
}

/** The method and the path of a route, such as `GET /sites/:name`. */
type Endpoint = `${Route["method"]} /${string}`;

type MethodOf<E> = E extends `${infer Method} ${string}` ? Method : never;
type PathOf<E> = E extends `${string} ${infer Path}` ? Path : never;

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

/** The audit sentence of a route, which is required for operations that can change something. */
type Audit<M> = M extends "GET" ? { readonly audit?: AuditSummary } : { readonly audit: AuditSummary };

/** The operation of a route, which is required where the caller needs a role on a site. */
type OperationOf<A> = A extends "site" ? { readonly operation: Operation } : { readonly operation?: Operation };

/** Declares a route. Path parameters are strings unless `params` has another schema for them. */
export function route<
  const E extends Endpoint,
  const A extends Auth,
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
  B extends TSchema | undefined = undefined,
  R extends Record<number, TSchema> | undefined = undefined,
>(
  declared: {
    readonly endpoint: E;
    readonly summary: string;
    readonly auth: A;
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    readonly response?: R;
    handler(
      call: Call<ParamsOf<PathOf<E>, P>, Static<TObject<Q>>, B extends TSchema ? Static<B> : undefined, CallerOf<A>>,
    ): Outcome<R> | Promise<Outcome<R>> | (undefined extends R ? Promise<void> : never);
  } & Audit<MethodOf<E>> &
    OperationOf<A> &
    Pick<
      Route,
      "description" | "tag" | "headers" | "rawType" | "produces" | "ranged" | "alternative" | "recordsItself"
    > &
    Partial<Pick<Route, "bodyFormat" | "errors">>,
): Route {
  const { endpoint, params, query, ...others } = declared;
  const [method, path] = partsOf(endpoint);
  return {
    ...UNDECLARED,
    ...others,
    method,
    path,
    params: pathSchema(path, Type.String(), params),
    query: query ? objectOf(query) : null,
  } as unknown as Route;
}

/** The arguments of a page's handler. A path parameter that cannot be decoded is null. */
export type PageCall<Name extends string = never> = Call<
  Readonly<Record<Name, string | null>>,
  unknown,
  undefined,
  null
>;

/** The page, together with the user who made a change, if any. */
export type PageReply = Response | Reply<Response>;

/** Declares a route that is not part of the documented API: a page for users, or one of its files. */
export function pageRoute<const E extends Endpoint>(
  endpoint: E,
  handler: (call: PageCall<PathNames<PathOf<E>>>) => PageReply | Promise<PageReply>,
  audit: AuditSummary = null,
): Route {
  const [method, path] = partsOf(endpoint);
  return {
    ...UNDECLARED,
    method,
    path,
    handler: handler as Route["handler"],
    audit,
    summary: null,
    tag: "",
    auth: "public",
    params: pathSchema(path, Type.Any()),
    bodyFormat: "raw",
  };
}

// --- internal ---

const UNDECLARED = {
  operation: null,
  query: null,
  body: null,
  bodyFormat: "json",
  response: {},
  errors: {},
  audit: null,
} as const;

function partsOf(endpoint: Endpoint): readonly [Route["method"], string] {
  return endpoint.split(" ", 2) as [Route["method"], string];
}

function pathSchema(path: string, standard: TSchema, schemas: TProperties = {}): TObject {
  const names = path.split("/").flatMap((segment) => (segment.startsWith(":") ? [segment.slice(1)] : []));
  return objectOf(Object.fromEntries(names.map((name) => [name, schemas[name] ?? standard])));
}

function objectOf(properties: TProperties): TObject {
  return Type.Object(properties);
}
