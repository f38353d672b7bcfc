import { systemSecrets } from "../../clients/system/secrets.ts";
import { startSession } from "../../domain/accounts/sessions.ts";
import type { User } from "../../domain/model/user.ts";
import { addSite } from "../../storage/contract/people.ts";
import { addLocalAccount } from "./accounts.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

/** The sender of a request. */
export type Who = "owner" | "stranger" | "token" | "cookie" | "foreign page" | "garbage" | "nobody";

/** A server with a site that has one of everything that a request can name. */
export interface FuzzWorld {
  /** One id for each name of a parameter or field. */
  readonly ids: Readonly<Record<string, string>>;
  readonly call: TestServer["call"];
  /** Returns the headers with a credential. */
  credential(who: Who): Record<string, string>;
  /** Creates everything that the operations of a path need, at the start and after a deletion. */
  renew(path: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Keeps the server from contacting other hosts: the resolver does not exist. */
const FLAGS = {
  "routing-targets": "A:203.0.113.7",
  "dns-resolvers": "127.0.0.1:1",
  "device-rate": "off",
  "claim-rate": "off",
  "claim-burst-rate": "off",
  "webhook-rate": "off",
  "sign-in-rate": "off",
};

interface State {
  readonly ids: Readonly<Record<string, string>>;
  readonly session: string;
  readonly token: string;
}

export async function startFuzzWorld(): Promise<FuzzWorld> {
  const server = await startTestServer(FLAGS);
  const owner = (await server.signUp("ada")).user;
  const stranger = await server.signUp("eve");
  await addLocalAccount(server, "grace");
  let generation = 0;
  let state = await prepare(server, owner, generation, "");
  return {
    get ids() {
      return state.ids;
    },
    call: server.call,
    credential(who): Record<string, string> {
      if (who === "nobody") return {};
      if (who === "garbage") return { Authorization: `Bearer ${state.session}x` };
      if (who === "cookie") return { Cookie: `vitrine=${state.session}`, Origin: server.baseUrl };
      if (who === "foreign page") return { Cookie: `vitrine=${state.session}`, Origin: "https://evil.example" };
      const secret = { owner: state.session, stranger: stranger.token, token: state.token }[who];
      return { Authorization: `Bearer ${secret}` };
    },
    async renew(path) {
      generation += 1;
      state = await prepare(server, owner, generation, path);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function prepare(server: TestServer, owner: User, generation: number, path: string): Promise<State> {
  const { store, clock } = server;
  const name = `site-${generation}-a`;
  const site = await addSite(store, name, owner.id, true);
  const person = (await server.signUp(`reader-${generation}`)).user;
  const reader = await store.readers.add(site.id, person, 0);
  const { id: token_id, token } = await server.mintDeploymentToken(name);
  const start = { userId: owner.id, clientName: "test", address: null };
  const used = await startSession({ store, clock, secrets: systemSecrets }, start);
  const other = await startSession({ store, clock, secrets: systemSecrets }, start);
  const webhook_id = `${name}-hook`;
  const webhook = { id: webhook_id, siteId: site.id, url: "http://127.0.0.1:1/", events: null, secret: "whsec_AA==" };
  await store.webhooks.add({ ...webhook, createdAt: 0 }, 1);
  return {
    session: used.token,
    token,
    ids: {
      name,
      site_name: name,
      deployment_number: "1",
      reader_id: String(typeof reader === "string" ? 0 : reader.id),
      provider_login: "grace",
      token_id,
      // A site with a claim cannot be deleted.
      claim_id: path.includes("{claim_id}") ? await claim(server, name, used.token) : "1",
      session_id: String(other.session.id),
      webhook_id,
      delivery_id: String((await store.webhooks.notify(webhook_id, { type: "ping", data: {} }, 0)).id),
      device_code: path.startsWith("/auth/device") ? await startDevice(server) : "unknown",
    },
  };
}

async function claim(server: TestServer, siteName: string, token: string): Promise<string> {
  const json = { hostname: `www.${siteName}.example` };
  const claimed = await server.call("POST", `/sites/${siteName}/domains`, { token, json });
  return String(((await claimed.json()) as { id: number }).id);
}

async function startDevice(server: TestServer): Promise<string> {
  const started = await server.call("POST", "/auth/device");
  return ((await started.json()) as { device_code: string }).device_code;
}
