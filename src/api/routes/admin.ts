import { Type as t } from "@sinclair/typebox";
import { listAllChanges } from "../../domain/audit/audit.ts";
import { fieldError } from "../../domain/errors.ts";
import { NEEDS_RECENT_SIGN_IN } from "../../domain/model/recent-sign-in.ts";
import { describeEnded } from "../../domain/model/transfer.ts";
import { invite, makePasswordLink } from "../../domain/operators/account-links.ts";
import {
  changePerson,
  endPersonSessions,
  findPerson,
  listPeople,
  listPersonSessions,
  removePerson,
} from "../../domain/operators/people.ts";
import {
  findAnySite,
  freezeAnySite,
  listAnySiteMembers,
  removeAnySite,
  transferAnySite,
} from "../../domain/operators/sites.ts";
import { auditCsv, csvResponse, FORMATS, prefersCsv } from "../csv.ts";
import { reply, route } from "../route.ts";
import {
  AdminSiteResponse,
  AdminSitesResponse,
  AdminUserResponse,
  AdminUsersResponse,
  adminSiteResponse,
  adminUserResponse,
  ChangeSiteRequest,
  ChangeUserRequest,
  InvitationResponse,
  InviteRequest,
  invitationOf,
  PasswordLinkResponse,
  passwordLinkResponse,
  SettingResponse,
  TotalsResponse,
  TransferRequest,
  TransferResponse,
} from "../schemas/admin.ts";
import { AuditEntryResponse, auditEntryResponse } from "../schemas/audit.ts";
import { SessionResponse, sessionResponse } from "../schemas/auth.ts";
import { MemberResponse, memberResponse } from "../schemas/members.ts";
import { momentsOf, momentsQuery, pageOf, pageQuery } from "../schemas/params.ts";
import { oneOf } from "../schemas/values.ts";

const common = { tag: "Operators", auth: "operator" } as const;
const userErrors = { 404: "the user does not exist" };
const siteErrors = { 404: "the site does not exist" };

/** The default and the maximum number of entries on a page. */
const PAGE = 100;
const MAX_PAGE = 1000;

const listQuery = <const Kind extends string>(searched: string, kinds: readonly Kind[]) => ({
  only: t.Optional(oneOf(kinds)),
  q: t.Optional(t.String({ maxLength: 200, description: `Only what has this text in ${searched}` })),
  limit: t.Optional(t.Integer({ minimum: 1, maximum: MAX_PAGE, description: `${PAGE} where it is not given` })),
  cursor: t.Optional(t.String({ maxLength: 400, description: "`next_cursor` of the page before" })),
});

const userRoutes = [
  route({
    ...common,
    endpoint: "GET /admin/users",
    summary: "List users by login",
    query: listQuery("login or name", ["operators", "frozen"]),
    response: { 200: AdminUsersResponse },
    handler: async ({ caller, query, ports }) => {
      const { limit = PAGE } = query;
      const after = query.cursor === undefined ? null : userCursor(query.cursor);
      const people = await listPeople(ports, caller, { ...wantedBy(query), after, limit });
      const next_cursor = cursorAfter(people, limit, ({ login, id }) => [login, id]);
      return { users: people.map(adminUserResponse), next_cursor };
    },
  }),

  route({
    ...common,
    endpoint: "POST /admin/users",
    summary: "Invite a user",
    description:
      "Returns a link with which they create their account. It works once, within 7 days; inviting them again ends it. With `site` they become a member of that site, unless it has 50 by then.",
    body: InviteRequest,
    response: { 201: InvitationResponse },
    errors: { 404: "the site does not exist", 409: "the login is taken, or another provider signs people in" },
    audit: ({ login, member_role: role }) => `Invited ${login}${role ? ` to work on the site as ${role}` : ""}`,
    handler: async ({ caller, body, ports }) => {
      const { login, invitedTo, ...link } = await invite(ports, caller, invitationOf(body));
      const site = invitedTo && { name: invitedTo.siteName, role: invitedTo.role };
      const invitation = { login, site, ...passwordLinkResponse(ports.links, { login, ...link }) };
      const about = invitedTo && { name: invitedTo.siteName, member_role: invitedTo.role };
      return reply(invitation, { audit: { login, ...about } });
    },
  }),

  route({
    ...common,
    endpoint: "GET /admin/users/:login",
    summary: "Get a user",
    response: { 200: AdminUserResponse },
    errors: userErrors,
    handler: async ({ caller, params, ports }) => adminUserResponse(await findPerson(ports, caller, params.login)),
  }),

  route({
    ...common,
    endpoint: "PATCH /admin/users/:login",
    summary: "Change, freeze or unfreeze a user, or make them an operator",
    description: "Fields that are left out stay unchanged.",
    body: ChangeUserRequest,
    response: { 200: AdminUserResponse },
    errors: { ...userErrors, 409: "it would freeze you, or leave the server without an operator" },
    audit: ({ login, changed }) => `Changed ${login}: ${changed || "nothing"}`,
    handler: async ({ caller, params, body, ports }) => {
      const { max_sites: sites, max_bytes: bytes, frozen, ...others } = body;
      const person = await changePerson(ports, caller, params.login, {
        ...others,
        ...(frozen === undefined ? {} : { frozen: frozen && { reason: frozen.reason ?? null } }),
        quota: { ...(sites === undefined ? {} : { sites }), ...(bytes === undefined ? {} : { bytes }) },
      });
      return reply(adminUserResponse(person), { audit: { changed: changesIn(body).join(", ") } });
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /admin/users/:login",
    summary: "Delete a user and end their sessions",
    description: NEEDS_RECENT_SIGN_IN,
    errors: { ...userErrors, 409: "they own sites, are you, or are the last operator" },
    audit: ({ login }) => `Deleted the user ${login}`,
    handler: ({ caller, params, ports }) => removePerson(ports, caller, params.login),
  }),

  route({
    ...common,
    endpoint: "POST /admin/users/:login/password-link",
    summary: "Create a link that sets a new password",
    description: `${NEEDS_RECENT_SIGN_IN} The link works once, within 24 hours. Using it ends the user's sessions.`,
    response: { 201: PasswordLinkResponse },
    errors: { ...userErrors, 409: "the user's password is not kept here" },
    audit: ({ login }) => `Created a password link for ${login}`,
    handler: async ({ caller, params, ports }) =>
      passwordLinkResponse(ports.links, await makePasswordLink(ports, caller, params.login)),
  }),

  route({
    ...common,
    endpoint: "GET /admin/users/:login/sessions",
    summary: "List a user's sessions, newest first",
    response: { 200: t.Array(SessionResponse) },
    errors: userErrors,
    handler: async ({ caller, params, ports }) => {
      const sessions = await listPersonSessions(ports, caller, params.login);
      return sessions.map((session) => sessionResponse(session, caller.sessionId));
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /admin/users/:login/sessions",
    summary: "Revoke all of a user's sessions",
    errors: userErrors,
    audit: ({ login }) => `Ended all sessions of ${login}`,
    handler: ({ caller, params, ports }) => endPersonSessions(ports, caller, params.login, null),
  }),

  route({
    ...common,
    endpoint: "DELETE /admin/users/:login/sessions/:session_id",
    params: { session_id: t.Integer() },
    summary: "Revoke one of a user's sessions",
    errors: { 404: "the user or the session does not exist" },
    audit: ({ login }) => `Ended a session of ${login}`,
    handler: ({ caller, params, ports }) => endPersonSessions(ports, caller, params.login, params.session_id),
  }),
];

const siteRoutes = [
  route({
    ...common,
    endpoint: "GET /admin/sites",
    summary: "List all sites by name",
    query: listQuery("the name or the owner's login", ["private", "public", "frozen"]),
    response: { 200: AdminSitesResponse },
    handler: async ({ query, ports }) => {
      const { limit = PAGE } = query;
      const after = query.cursor === undefined ? null : siteCursor(query.cursor);
      const sites = await ports.store.sites.page({ ...wantedBy(query), after, limit }, ports.clock.now());
      const next_cursor = cursorAfter(sites, limit, ({ name }) => [name]);
      return { sites: sites.map((site) => adminSiteResponse(ports.links, site)), next_cursor };
    },
  }),

  route({
    ...common,
    endpoint: "GET /admin/sites/:name",
    summary: "Get any site",
    response: { 200: AdminSiteResponse },
    errors: siteErrors,
    handler: async ({ caller, params, ports }) =>
      adminSiteResponse(ports.links, await findAnySite(ports, caller, params.name)),
  }),

  route({
    ...common,
    endpoint: "GET /admin/sites/:name/members",
    summary: "List the people who work on any site",
    description: "The owner first, then people by login.",
    response: { 200: t.Array(MemberResponse) },
    errors: siteErrors,
    handler: async ({ caller, params, ports }) =>
      (await listAnySiteMembers(ports, caller, params.name)).map(memberResponse),
  }),

  route({
    ...common,
    endpoint: "PATCH /admin/sites/:name",
    summary: "Freeze or unfreeze any site",
    body: ChangeSiteRequest,
    response: { 200: AdminSiteResponse },
    errors: siteErrors,
    audit: ({ state }) => (state === "frozen" ? "Froze the site" : "Unfroze the site"),
    handler: async ({ caller, params, body, ports }) => {
      const freeze = body.frozen && { reason: body.frozen.reason ?? null };
      const site = await freezeAnySite(ports, caller, params.name, freeze);
      return reply(adminSiteResponse(ports.links, site), { audit: { state: freeze ? "frozen" : "unfrozen" } });
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /admin/sites/:name",
    summary: "Delete any site",
    description: NEEDS_RECENT_SIGN_IN,
    errors: { ...siteErrors, 409: "a custom domain has not completed removal" },
    audit: "Deleted the site",
    handler: ({ caller, params, ports }) => removeAnySite(ports, caller, params.name),
  }),

  route({
    ...common,
    endpoint: "POST /admin/sites/:name/transfer",
    summary: "Transfer a site to another user",
    description:
      "Takes effect at once. Deployments, domains and readers stay with the site. Deployment tokens, shares, webhooks and " +
      "publishers end, because the former owner set them up, except those that `keep` names.",
    body: TransferRequest,
    response: { 200: TransferResponse },
    errors: {
      404: "the site or the user does not exist",
      409: "the user may not own sites",
      413: "the site would exceed the user's quota",
    },
    audit: ({ login, ended }) => `Transferred the site to ${login}${ended ? `, and ended ${ended}` : ""}`,
    handler: async ({ caller, params, body: { login, keep = [] }, ports }) => {
      const { site, ended } = await transferAnySite(ports, caller, params.name, { login, keep });
      const words = describeEnded(ended);
      const audit = { login: site.owner, ...(words === "" ? {} : { ended: words }) };
      return reply({ ...adminSiteResponse(ports.links, site), ended }, { audit });
    },
  }),
];

const totalsRoute = route({
  ...common,
  endpoint: "GET /admin/totals",
  summary: "Count people and sites",
  response: { 200: TotalsResponse },
  handler: ({ ports }) => ports.store.totals(ports.clock.now()),
});

const settingsRoute = route({
  ...common,
  endpoint: "GET /admin/settings",
  summary: "List the settings in force",
  description: "Of a secret it says only whether it is set.",
  response: { 200: t.Array(SettingResponse) },
  handler: ({ ports }) => [...ports.settings],
});

const auditRoute = route({
  ...common,
  endpoint: "GET /admin/audit",
  summary: "List all changes, newest first",
  description: "As CSV, with `?format=csv` or `Accept: text/csv`, every entry that fits is sent.",
  query: {
    actor: t.Optional(t.String()),
    site: t.Optional(t.String()),
    action: t.Optional(t.String()),
    ...momentsQuery(),
    format: t.Optional(oneOf(FORMATS)),
    ...pageQuery(MAX_PAGE, "entries with a lower id"),
  },
  response: { 200: t.Array(AuditEntryResponse) },
  alternative: "text/csv",
  handler: async ({ caller, query, request, ports }) => {
    const { actor, site, action } = query;
    const filter = { actor, site, action, ...momentsOf(query) };
    if (prefersCsv(request, query.format)) {
      const lines = await auditCsv((page) => listAllChanges(ports, caller, filter, page));
      return csvResponse("audit.csv", lines, ports.report);
    }
    const entries = await listAllChanges(ports, caller, filter, pageOf(query, PAGE));
    return entries.map((entry) => auditEntryResponse(entry, ports.summaryOf(entry)));
  },
});

export const adminRoutes = [...userRoutes, ...siteRoutes, totalsRoute, settingsRoute, auditRoute];

// --- internal ---

/** Formats a change of a user for its audit record: `frozen`, `operator on`, `max_sites 3`. */
function changesIn({ frozen, operator, name, ...limits }: typeof ChangeUserRequest.static): string[] {
  return [
    ...(name === undefined ? [] : ["name"]),
    ...(frozen === undefined ? [] : [frozen ? "frozen" : "unfrozen"]),
    ...(operator === undefined ? [] : [`operator ${operator ? "on" : "off"}`]),
    ...Object.entries(limits).map(([limit, value]) => `${limit} ${value ?? "off"}`),
  ];
}

/** Returns the filter in the query of a list; an empty text is none. */
function wantedBy<Kind extends string>({ q, only }: { q?: string; only?: Kind }) {
  return { text: q || null, ...(only === undefined ? {} : { only }) };
}

/** Returns the cursor of the next page, which contains the end of this one and is opaque to clients; null for the last. */
function cursorAfter<Row>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => readonly (string | number)[],
): string | null {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return last === undefined ? null : Buffer.from(JSON.stringify(placeOf(last))).toString("base64url");
}

function decodeCursor(cursor: string): unknown[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(place)) return place;
  } catch {
    // Treated like any other invalid cursor.
  }
  throw unknownCursor();
}

function userCursor(cursor: string): { login: string; id: number } {
  const [login, id] = decodeCursor(cursor);
  if (typeof login !== "string" || typeof id !== "number") throw unknownCursor();
  return { login, id };
}

function siteCursor(cursor: string): string {
  const [name] = decodeCursor(cursor);
  if (typeof name !== "string") throw unknownCursor();
  return name;
}

function unknownCursor() {
  return fieldError(["query", "cursor"], "is not the next_cursor of a page: start without a cursor");
}
