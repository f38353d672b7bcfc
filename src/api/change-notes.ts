import type { User } from "../domain/accounts/user.ts";

/** What of a request's address stands for the named parts of its route, decoded. */
type Parts = Readonly<Record<string, string | undefined>>;

/** The route that answers a request, and its parts. */
interface Answering {
  readonly route: string;
  readonly parts: Parts;
}

/** What was said of a request; absent is what nobody said. */
interface ChangeNotes {
  readonly answering?: Answering;
  readonly maker?: User;
  readonly concerned?: Parts;
}

const notes = new WeakMap<Request, ChangeNotes>();

/** Says which route answers a request. */
export function answeredBy(request: Request, route: string, parts: Parts = {}): void {
  note(request, { answering: { route, parts } });
}

/** Says who changed something on a page of ours: such a request shows no credential of the API, and may be a GET. */
export function changedBy(request: Request, user: User): void {
  note(request, { maker: user });
}

/** Says what a request is about where its address does not: `name` is the site, and the rest is what was made. */
export function setAuditSubject(request: Request, parts: Parts): void {
  note(request, { concerned: parts });
}

/** Returns what was said of a request so far. */
export function notesOf(request: Request): ChangeNotes {
  return notes.get(request) ?? {};
}

// --- internal ---

function note(request: Request, said: ChangeNotes): void {
  notes.set(request, { ...notesOf(request), ...said });
}
