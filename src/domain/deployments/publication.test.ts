import { expect, test } from "bun:test";
import { publicationOf } from "../../storage/contract/publication.ts";
import { newFreeze } from "../model/freeze.ts";
import type { Publication } from "../ports/store/deployments.ts";
import { DAY, HOUR, MINUTE } from "../timestamp.ts";
import { type PublicationState, planPublication } from "./publication.ts";

const NOW = Date.UTC(2026, 0, 1);
const warning = { file: "_redirects", line: 1, message: "unusable" };
const session = publicationOf({
  siteName: "demo",
  ownerId: 1,
  sessionId: 5,
  files: [{ path: "index.html", digest: "a".repeat(64), size: 10 }],
  warnings: [warning],
  requestedBy: { userId: 1, address: "203.0.113.9" },
  createdAt: NOW,
});
const token: Publication = {
  ...session,
  onlySiteId: 7,
  credential: { kind: "deployment_token", tokenId: "ci" },
  actor: "CI",
  requestedBy: { userId: null, address: "203.0.113.9" },
};

const free: PublicationState = {
  owner: { frozen: null },
  credentialRevoked: false,
  site: null,
  role: "owner",
  retired: null,
  room: null,
  isUnchanged: false,
  contentGone: false,
  previewLifetime: 30 * DAY,
  aliases: { count: 0, existing: null },
};
const freeze = newFreeze(null, NOW);
const active = { id: 70, number: 3, activatedAt: NOW - 10, startPageGone: false };
const own = {
  id: 7,
  ownerId: 1,
  private: false,
  frozen: null,
  expired: false,
  lastNumber: 4,
  lastDeployedAt: NOW - 20,
  active,
};
const others = { ...own, id: 8, ownerId: 2 };
const retired = { ownerId: 2, freeAt: NOW + 1 };
const room = { quota: { sites: 1, bytes: 100 }, usage: { sites: 1, bytes: 90 } };
const fullRoom = { ...room, usage: { sites: 1, bytes: 91 } };

const plan = (publication: Publication, state: Partial<PublicationState>) =>
  planPublication({ ...free, ...state }, publication);
const refusal = (publication: Publication, state: Partial<PublicationState>) => {
  const planned = plan(publication, state);
  return "refusal" in planned ? planned.refusal : null;
};

const full = { count: 100, existing: null };
const moved = { count: 100, existing: { deploymentNumber: 2 } };
const tooManyAliases = { outcome: "too_many_aliases" } as const;
const overSites = { outcome: "over_quota", excess: { kind: "sites", limit: 1, used: 1 } } as const;
const overBytes = { outcome: "over_quota", excess: { kind: "bytes", limit: 100, used: 91, more: 10 } } as const;
const frozen = { outcome: "frozen", freeze } as const;

test.each<[string, Publication, Partial<PublicationState>, ReturnType<typeof refusal>]>([
  ["makes a new site", session, {}, null],
  ["goes to a site of its owner", session, { site: own }, null],
  ["with a token publishes to the token's site", token, { site: own }, null],
  ["goes to a site that exists although the quota of sites is used up", session, { site: own, room }, null],
  ["needs no room for files that are unchanged", session, { site: own, room: fullRoom, isUnchanged: true }, null],
  ["takes a name that its owner gave up", session, { retired: { ...retired, ownerId: 1 } }, null],
  ["takes a name that another owner gave up long ago", session, { retired: { ...retired, freeAt: NOW } }, null],
  ["needs its owner", session, { owner: null }, { outcome: "owner_gone" }],
  ["needs its credential", session, { credentialRevoked: true }, { outcome: "credential_revoked" }],
  ["needs room for a new site", session, { room }, overSites],
  ["needs room for its bytes", session, { site: own, room: fullRoom }, overBytes],
  ["does not go to another owner's site", session, { site: others }, { outcome: "not_owner" }],
  ["with a token makes no new site", token, {}, { outcome: "site_gone" }],
  ["with a token does not go to a site made again", token, { site: { ...own, id: 9 } }, { outcome: "site_gone" }],
  ["does not go to a frozen site", session, { site: { ...own, frozen: freeze } }, frozen],
  ["does not go to a site that has expired", session, { site: { ...own, expired: true } }, { outcome: "expired" }],
  ["makes no site for a frozen owner", session, { owner: { frozen: freeze } }, frozen],
  ["does not take a name that another owner gave up lately", session, { retired }, { outcome: "name_retired" }],
  ["needs room for a new alias", { ...session, alias: "pr-1" }, { site: own, aliases: full }, tooManyAliases],
  ["moves an alias when no other can be added", { ...session, alias: "pr-1" }, { aliases: moved }, null],
  ["needs the content that it relies on", session, { contentGone: true }, { outcome: "content_gone" }],
])("a publication %s", (_what, publication, state, expected) => {
  expect(refusal(publication, state)).toEqual(expected);
});

test("of several reasons for refusing a new site the first is returned", () => {
  const all = { owner: null, credentialRevoked: true, site: null, retired, room, contentGone: true };
  const steps = [
    {},
    { owner: { frozen: freeze } },
    { credentialRevoked: false },
    { room: null },
    { owner: free.owner },
    { retired: null },
  ];
  const states = steps.map((_, at) => Object.assign({ ...all }, ...steps.slice(0, at + 1)));
  expect(states.map((state) => refusal(session, state)?.outcome)).toEqual([
    "owner_gone",
    "credential_revoked",
    "over_quota",
    "frozen",
    "name_retired",
    "content_gone",
  ]);
});

test("of several reasons for refusing an existing site the first is returned", () => {
  const refusalFor = (site: PublicationState["site"], more: Partial<PublicationState> = {}) =>
    refusal(token, { site, ...more })?.outcome;
  const strange = { ...others, frozen: freeze };
  const again = { ...own, id: 9, frozen: freeze };
  expect([
    refusalFor(strange, { room: fullRoom }),
    refusalFor(strange),
    refusalFor(again),
    refusalFor({ ...own, frozen: freeze }),
  ]).toEqual(["over_quota", "not_owner", "site_gone", "frozen"]);
});

test("the first deployment creates a site, is active, and causes events and an audit record", () => {
  const deployment = {
    number: 1,
    active: true,
    createdAt: NOW,
    activatedAt: NOW,
    source: "session",
    actor: "ada",
    agent: null,
    fileCount: 1,
    sizeBytes: 10,
    warnings: [warning],
    startPageGone: false,
    message: null,
    commit: null,
    ref: null,
    expiresAt: null,
  } as const;
  expect(plan(session, {})).toEqual({
    site: { private: false, lastNumber: 1, lastDeployedAt: NOW },
    deployment,
    alias: null,
    events: [{ type: "deployment.published", data: expect.objectContaining({ site_name: "demo", file_count: 1 }) }],
    audit: {
      at: NOW,
      kind: "session",
      actor: "ada",
      userId: 1,
      address: "203.0.113.9",
      action: "POST /deploy",
      site: "demo",
      subject: "deployment_number=1",
    },
  });
});

test("the next deployment has the next number, with the token as its source", () => {
  const origin = { message: "Fix typos", commit: "abc", ref: "main" };
  expect(plan({ ...token, origin }, { site: own })).toMatchObject({
    site: { private: false, lastNumber: 5, lastDeployedAt: NOW },
    deployment: { number: 5, source: "deployment_token", actor: "CI", ...origin },
    audit: { kind: "deployment_token", actor: "CI", userId: null, subject: "deployment_number=5" },
  });
});

test("times never decrease within a site, whichever thread read the clock first", () => {
  const later = { ...own, lastDeployedAt: NOW + 5, active: { ...active, activatedAt: NOW + 9 } };
  expect(plan(session, { site: later })).toMatchObject({
    site: { lastDeployedAt: NOW + 5 },
    deployment: { createdAt: NOW + 5, activatedAt: NOW + 9 },
  });
  const wrong = { ...own, lastDeployedAt: NOW + 2 * MINUTE, active: { ...active, activatedAt: NOW + 2 * MINUTE } };
  expect(plan(session, { site: wrong })).toMatchObject({ deployment: { createdAt: NOW, activatedAt: NOW } });
});

test("unchanged files create no deployment and no event; the record names the active deployment", () => {
  expect(plan({ ...session, makePrivate: true }, { site: own, isUnchanged: true })).toMatchObject({
    site: { private: true, lastNumber: 4, lastDeployedAt: NOW - 20 },
    deployment: null,
    events: [],
    audit: { subject: "deployment_number=3 unchanged=yes" },
  });
});

test.each([
  ["a new site is public", session, null, false],
  ["a new site is private on request", { ...session, makePrivate: true }, null, true],
  ["a site made again stays private", { ...session, privateIfNew: true }, null, true],
  ["an existing site becomes private", { ...session, makePrivate: true }, own, true],
  ["a private site stays private", session, { ...own, private: true }, true],
  ["a public site stays public whatever applies to a new one", { ...session, privateIfNew: true }, own, false],
])("%s", (_what, publication, site, isPrivate) => {
  expect(plan(publication, { site })).toMatchObject({ site: { private: isPrivate } });
});

test("a publication outside the API adds no audit record", () => {
  expect(plan({ ...session, requestedBy: null }, {})).toMatchObject({ audit: null });
});

const preview: Publication = { ...session, isPreview: true };
const typesOf = (planned: ReturnType<typeof plan>) =>
  "events" in planned ? planned.events.map(({ type }) => type as string) : [];

test("a preview is not activated, expires by the site's policy, and has the event of a preview", () => {
  const planned = plan(preview, { site: own, previewLifetime: 2 * DAY });
  expect(planned).toMatchObject({
    site: { private: false, lastNumber: 5 },
    deployment: { number: 5, active: false, activatedAt: null, expiresAt: NOW + 2 * DAY },
    alias: null,
    audit: { subject: "deployment_number=5 preview=yes" },
  });
  expect(typesOf(planned)).toEqual(["preview.created"]);
});

test("an alias points to the new deployment and expires with it", () => {
  const planned = plan({ ...preview, alias: "pr-12", lifetime: HOUR }, { site: own });
  expect(planned).toMatchObject({
    deployment: { expiresAt: NOW + HOUR },
    alias: { name: "pr-12", expiresAt: NOW + HOUR, at: NOW },
    events: [
      { data: { alias: "pr-12", expires_at: "2026-01-01T01:00:00.000Z" } },
      { data: { alias: "pr-12", deployment_number: 5, previous_deployment_number: null } },
    ],
    audit: { subject: "deployment_number=5 preview=yes alias=pr-12" },
  });
  expect(typesOf(planned)).toEqual(["preview.created", "alias.moved"]);
});

test("an alias of an activated deployment stays unless an expiry is requested", () => {
  const tagged = { ...session, alias: "v1" };
  expect(plan(tagged, { site: own })).toMatchObject({ deployment: { expiresAt: null }, alias: { expiresAt: null } });
  expect(plan({ ...tagged, lifetime: HOUR }, { site: own })).toMatchObject({
    deployment: { active: true, expiresAt: null },
    alias: { expiresAt: NOW + HOUR },
  });
});

test("unchanged files move the alias to the active deployment", () => {
  const state = { site: own, isUnchanged: true, aliases: { count: 1, existing: { deploymentNumber: 2 } } };
  const planned = plan({ ...preview, alias: "pr-12" }, state);
  expect(planned).toMatchObject({
    deployment: null,
    alias: { name: "pr-12", expiresAt: NOW + 30 * DAY },
    events: [{ type: "alias.moved", data: { deployment_number: 3, previous_deployment_number: 2 } }],
    audit: { subject: "deployment_number=3 unchanged=yes alias=pr-12" },
  });
});

test("an alias that already points to the active deployment causes no event", () => {
  const aliases = { count: 1, existing: { deploymentNumber: 3 } };
  expect(plan({ ...preview, alias: "pr-12" }, { site: own, isUnchanged: true, aliases })).toMatchObject({ events: [] });
});

const lost = { withoutStartPage: { activeWithPage: 70 } };
const unknown = { withoutStartPage: { activeWithPage: 71 } };
const gone = { ...own, active: { ...active, startPageGone: true } };

test.each<[string, Partial<Publication>, PublicationState["site"], string | null]>([
  [
    "takes the start page away",
    lost,
    own,
    "get a 404 page here now, and got a page with deployment 3. Go back to it: vi",
  ],
  ["still has none", { withoutStartPage: { activeWithPage: null } }, gone, "still get a 404 page here"],
  ["would take it away", { ...lost, isPreview: true }, own, "would get a 404 page here, and they get a page with depl"],
  ["would still have none", { ...unknown, isPreview: true }, gone, "would still get a 404 page here"],
  ["has no start page like the one before", { withoutStartPage: { activeWithPage: null } }, own, null],
  ["was compared with another one", unknown, own, null],
  ["is the first of its site", { withoutStartPage: { activeWithPage: null } }, null, null],
  ["brings the start page back", {}, gone, null],
])("a deployment that %s warns about it first", (_, publication, site, wanted) => {
  const planned = plan({ ...session, ...publication }, { site });
  const deployment = "refusal" in planned ? null : planned.deployment;
  const [first] = deployment?.warnings ?? [];
  expect(deployment?.startPageGone).toBe(wanted !== null);
  expect(first).toEqual(
    wanted === null ? warning : { file: "/", line: 0, message: expect.stringContaining(`visitors ${wanted}`) },
  );
});
