import { beforeEach, expect, test } from "bun:test";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { addClaim } from "../../storage/contract/add-claim.ts";
import { addPerson, addSession, addSite } from "../../storage/contract/people.ts";
import { temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { STANDARD_RATES } from "../limits/rate-limit.ts";
import type { Caller } from "../model/caller.ts";
import { type Deployment, NO_ORIGIN } from "../model/deployment.ts";
import { UNLIMITED } from "../model/quota.ts";
import type { Site } from "../model/site.ts";
import type { User } from "../model/user.ts";
import type { UnpackedArchive } from "../ports/archive.ts";
import type { Publisher } from "../ports/publisher.ts";
import type { PublicationResult } from "../ports/store/deployments.ts";
import type { Store } from "../ports/store.ts";
import { deploy, publishUnpacked } from "./deploy.ts";
import { permitDeployment } from "./permit.ts";

let store: Store;
let ada: User;
let sessionId: number;
let blog: Site;

beforeEach(async () => {
  store = temporaryStore();
  ada = await addPerson(store, "ada");
  sessionId = await addSession(store, ada.id);
  blog = await addSite(store, "blog", ada.id, false);
});

const nothing: UnpackedArchive = {
  files: [],
  redirectsText: null,
  headersText: null,
  strippedFolder: null,
  leftOut: [],
  guessedNames: [],
  legacyTexts: [],
  privateKeys: [],
  reused: [],
};

const nothingIsUploaded: Publisher = { publish: () => Promise.reject(new Error("nothing is uploaded")) };

function ports(publisher = nothingIsUploaded, ownLabel: string | null = null) {
  const clock = { now: () => 100 };
  const policy = { defaultAccess: "public", publicSites: "on" } as const;
  const rules = { quota: UNLIMITED, rates: STANDARD_RATES, policy, ownLabel };
  return { store, ...rules, publisher, clock, secrets: systemSecrets };
}

function permit(caller: Caller, ownLabel: string | null = null, alias: string | null = null) {
  const request = { siteName: "blog", makePrivate: false, origin: NO_ORIGIN, onlyIfChanged: false };
  const wanted = { ...request, isPreview: alias !== null, alias };
  return permitDeployment(ports(nothingIsUploaded, ownLabel), caller, { ...wanted, lifetime: null }, "192.0.2.1");
}

const session = (user: User): Caller => ({ kind: "session", user, sessionId, at: 0, signedInAt: null });
const limited = (): Caller => ({
  kind: "limited_session",
  user: ada,
  sessionId,
  at: 0,
  limit: { permission: "publish", sites: [blog] },
});
const token = (): Caller => ({
  kind: "deployment_token",
  tokenId: "t",
  tokenName: "ci",
  permission: "publish",
  siteId: blog.id,
  siteName: "blog",
  ownerId: ada.id,
  makerId: ada.id,
  makerRole: "owner",
});

const publication = () => ({
  store,
  quota: UNLIMITED,
  clock: { now: () => 100 },
  secrets: systemSecrets,
  startPages: { statusOf: () => 200, statusOfStored: async () => 200 },
});

test.each<[PublicationResult["outcome"], string, () => Caller, string | null]>([
  ["published", "a session of its owner", () => session(ada), null],
  ["site_gone", "a session of an owner who may not create sites", () => session({ ...ada, mayOwn: false }), null],
  ["site_gone", "a session, if the name is the server's own label", () => session(ada), "blog"],
  ["site_gone", "a session of limited scope", limited, null],
  ["site_gone", "a deployment token", token, null],
])("if another site takes the name meanwhile, the outcome is %s with %s", async (outcome, _, caller, ownLabel) => {
  const permitted = await permit(caller(), ownLabel);
  await store.sites.delete(blog.id, 100, 100);
  const other = await addSite(store, "blog", ada.id, false);
  expect(other.id).not.toBe(blog.id);
  // The token itself would have been deleted with its site.
  const credential = { kind: "session", sessionId } as const;
  const result = await publishUnpacked(publication(), { ...permitted, credential, startedAt: 100 }, nothing);
  expect(result.outcome).toBe(outcome);
});

test("a custom domain may be added during the upload of a preview: it keeps showing what its alias shows", async () => {
  const preview = { ...token(), permission: "preview" } as Caller;
  const permitted = await permit(preview, null, "Beta");
  await addClaim(store, {
    hostname: "www.example.org",
    alias: "beta",
    siteId: blog.id,
    ownerId: ada.id,
    createdAt: 0,
  });
  const refused = { kind: "forbidden", detail: expect.stringContaining("www.example.org") };
  await expect(publishUnpacked(publication(), { ...permitted, startedAt: 100 }, nothing)).rejects.toMatchObject(
    refused,
  );
  await expect(permit(preview, null, "beta")).rejects.toMatchObject(refused);
});

test("an archive is published again if its content was swept or its generated name taken, at most twice", async () => {
  const permitted = await permit(session(ada));
  const outcomesOf = async (generated: boolean, ...outcomes: readonly ("content_gone" | "name_retired")[]) => {
    const names: string[] = [];
    const publisher: Publisher = {
      publish: async (_archive, { siteName }) => {
        names.push(siteName);
        const outcome = outcomes[names.length - 1];
        return outcome ? { outcome } : { outcome: "published", ...made };
      },
    };
    const result = await deploy(ports(publisher), { ...permitted, generated }, "archive").catch((error) => error);
    return [result.outcome ?? result.kind, names.length, new Set(names).size];
  };
  const made = { site: blog, deployment: {} as Deployment, alias: null };
  expect(await outcomesOf(false, "content_gone", "content_gone")).toEqual(["published", 3, 1]);
  expect(await outcomesOf(false, "content_gone", "content_gone", "content_gone")).toEqual(["unavailable", 3, 1]);
  expect(await outcomesOf(true, "name_retired", "content_gone")).toEqual(["published", 3, 2]);
  expect(await outcomesOf(false, "name_retired")).toEqual(["forbidden", 1, 1]);
});

test("a private key is named before all other warnings", async () => {
  const unpacked = { ...nothing, privateKeys: ["key.pem"], redirectsText: "/a\n" };
  const started = { ...(await permit(session(ada))), startedAt: 100 };
  const result = await publishUnpacked(publication(), started, unpacked);
  const [first, second] = result.outcome === "published" ? result.deployment.warnings : [];
  expect([first?.file, second?.file]).toEqual(["key.pem", "_redirects"]);
});
