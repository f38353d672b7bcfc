import { expect } from "bun:test";
import { selfSigned } from "../clients/http/testing/self-signed.ts";
import { presented } from "../serving/tls/testing/presented.ts";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { type ClaimResponse, type DomainsServer, startDomainsServer } from "./testing/domains.ts";
import { type Edge, startEdge } from "./testing/edge.ts";
import { waitUntil } from "./testing/wait-until.ts";

const { afterAll, beforeAll, test } = needing("loopback");

const HOSTNAME = "www.example.org";

let vitrine: DomainsServer;
let overHttp: Edge;
let overHttps: Edge;
let ada: string;
let claim: ClaimResponse;

beforeAll(async () => {
  const [http, https] = [freePort(), freePort()];
  vitrine = await startDomainsServer({
    tls: "internal",
    listen: `127.0.0.1:${https}`,
    "http-listen": `127.0.0.1:${http}`,
    "probe-ports": `${http},${https}`,
  });
  overHttp = startEdge(http);
  overHttps = startEdge(https, await selfSigned(HOSTNAME));
  ada = (await vitrine.signUp("ada")).token;
  await vitrine.deploy(ada, await zipOf({ "index.html": "hello" }), { site: "demo" });
});
afterAll(async () => {
  await overHttp?.stop();
  await overHttps?.stop();
  await vitrine?.[Symbol.asyncDispose]();
});

const look = () => vitrine.check(ada, claim);

test("with a local CA a name is connected over HTTPS by the probe, whoever signed the certificate", async () => {
  claim = await vitrine.connect(ada, "demo", HOSTNAME);
  expect(claim).toMatchObject({ effective_mode: "direct", activation_error: null, proxy_diagnostics: null });
  // Where net.ipv4.tcp_migrate_req is 0, the change to the new certificate may reset a connection of the next story.
  const { port } = vitrine.config.listen;
  await waitUntil(
    () => presented(port, HOSTNAME),
    ({ subjectAltName }) => subjectAltName === `DNS:${HOSTNAME}`,
  );
});

test("a name behind an edge with an untrusted certificate works, with a warning", async () => {
  vitrine.names.zone[`A ${HOSTNAME}`] = ["127.0.0.2"];
  expect(await look()).toMatchObject({
    connection_status: "connected",
    effective_mode: "proxy",
    proxy_diagnostics: {
      dns: { status: "ok" },
      edge_tls: { status: "warning", error: "the edge's certificate is not trusted: it is self-signed" },
      edge_http: {
        status: "ok",
        error: null,
        address: "127.0.0.2",
        edge_ray: "8f00ba4-FRA",
        edge_cache_status: "DYNAMIC",
        status_code: 200,
        redirect_location: null,
      },
      http_forwarding: { status: "ok", status_code: 200 },
      origin: { status: "ok" },
      ownership: { status: "ok" },
    },
  });
});

test("a redirect loop at the edge is reported", async () => {
  const own = `https://${HOSTNAME}${claim.challenge_path}`;
  overHttps.respond = () => new Response(null, { status: 301, headers: { Location: own } });
  const looping = await look();
  expect(looping.connection_status).toBe("action_needed");
  expect(looping.activation_error).toContain(`${own} is a redirect loop: 127.0.0.2 answered 301`);
  expect(looping.proxy_diagnostics).toMatchObject({
    consecutive_failures: 1,
    edge_http: { status: "error", redirect_location: own, status_code: 301 },
    origin: { status: "pending" },
  });
});

test("an edge that does not trust this server's certificate is reported", async () => {
  overHttps.respond = () => new Response("error", { status: 526 });
  const refused = await look();
  expect(refused.activation_error).toContain("526: it does not trust the origin's certificate");
  expect(refused.proxy_diagnostics).toMatchObject({ consecutive_failures: 2, origin: { status: "error" } });
});

test("an edge that redirects HTTP to HTTPS is fine if HTTPS reaches the server", async () => {
  overHttps.respond = null;
  overHttp.respond = (request) => Response.redirect(request.url.replace("http:", "https:").replace(/:\d+\//, "/"), 301);
  const redirecting = await look();
  expect(redirecting).toMatchObject({ connection_status: "connected", activation_error: null });
  expect(redirecting.proxy_diagnostics?.http_forwarding).toMatchObject({ status: "warning", status_code: 301 });
});
