import { expect, test } from "bun:test";
import { newFreeze } from "../sites/freeze.ts";
import { checkPublicationAllowed, type PublicationState, type WantedPublication } from "./publication-allowed.ts";

const NOW = Date.UTC(2026, 0, 1);
const session: WantedPublication = { ownerId: 1, onlySiteId: null, createdAt: NOW, bytes: 10 };
const token: WantedPublication = { ...session, onlySiteId: 7 };

const free: PublicationState = {
  owner: { frozen: null },
  credentialRevoked: false,
  site: null,
  retired: null,
  room: null,
};
const freeze = newFreeze(null, NOW);
const own = { id: 7, ownerId: 1, frozen: null };
const others = { id: 8, ownerId: 2, frozen: null };
const retired = { ownerId: 2, freeAt: NOW + 1 };
const room = { quota: { sites: 1, bytes: 100 }, usage: { sites: 1, bytes: 90 } };
const fullRoom = { ...room, usage: { sites: 1, bytes: 91 } };

const overSites = { outcome: "over_quota", excess: { kind: "sites", limit: 1, used: 1 } } as const;
const overBytes = { outcome: "over_quota", excess: { kind: "bytes", limit: 100, used: 91, more: 10 } } as const;
const frozen = { outcome: "frozen", freeze } as const;

test.each<[string, WantedPublication, Partial<PublicationState>, ReturnType<typeof checkPublicationAllowed>]>([
  ["makes a new site", session, {}, null],
  ["goes to a site of its owner's", session, { site: own }, null],
  ["with a token goes to the token's site", token, { site: own }, null],
  ["goes to a site that exists although the quota of sites is used up", session, { site: own, room }, null],
  ["takes a name that its owner gave up", session, { retired: { ...retired, ownerId: 1 } }, null],
  ["takes a name that another owner gave up long ago", session, { retired: { ...retired, freeAt: NOW } }, null],
  ["needs its owner", session, { owner: null }, { outcome: "owner_gone" }],
  ["needs its credential", session, { credentialRevoked: true }, { outcome: "credential_revoked" }],
  ["needs room for a new site", session, { room }, overSites],
  ["needs room for its bytes", session, { site: own, room: fullRoom }, overBytes],
  ["does not go to another owner's site", session, { site: others }, { outcome: "not_owner" }],
  ["with a token makes no new site", token, {}, { outcome: "site_gone" }],
  ["with a token does not go to a site made anew", token, { site: { ...own, id: 9 } }, { outcome: "site_gone" }],
  ["does not go to a frozen site", session, { site: { ...own, frozen: freeze } }, frozen],
  ["makes no site for a frozen owner", session, { owner: { frozen: freeze } }, frozen],
  ["does not take a name that another owner gave up lately", session, { retired }, { outcome: "name_retired" }],
])("a publication %s", (_what, wanted, surroundings, expected) => {
  expect(checkPublicationAllowed(wanted, { ...free, ...surroundings })).toEqual(expected);
});

test("of many reasons for refusing a new site the first is told", () => {
  const all = { owner: null, credentialRevoked: true, site: null, retired, room };
  const owner = { frozen: freeze };
  const told = (mended: Partial<PublicationState>, wanted = token) =>
    checkPublicationAllowed(wanted, { ...all, ...mended })?.outcome;
  expect([
    told({}),
    told({ owner }),
    told({ owner, credentialRevoked: false }),
    told({ owner, credentialRevoked: false, room: null }),
    told({ owner, credentialRevoked: false, room: null }, session),
    told({ owner: free.owner, credentialRevoked: false, room: null }, session),
  ]).toEqual(["owner_gone", "credential_revoked", "over_quota", "site_gone", "frozen", "name_retired"]);
});

test("of many reasons for refusing a site that exists the first is told", () => {
  const told = (site: PublicationState["site"], more: Partial<PublicationState> = {}) =>
    checkPublicationAllowed(token, { ...free, site, ...more })?.outcome;
  const strange = { ...others, frozen: freeze };
  const anew = { ...own, id: 9, frozen: freeze };
  expect([told(strange, { room: fullRoom }), told(strange), told(anew), told({ ...own, frozen: freeze })]).toEqual([
    "over_quota",
    "not_owner",
    "site_gone",
    "frozen",
  ]);
});
