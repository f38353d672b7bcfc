// Measures the processor time of exchanging the ID token of a CI run for a deployment token. One worker has one core.
//   node scripts/with-bun.mjs scripts/bench/exchange.ts [--count 500] [--runs 5]
import { parseArgs } from "node:util";
import { zipOf } from "../../src/acceptance/testing/archives.ts";
import { GITHUB_PUSH, startIssuer } from "../../src/clients/ci/testing/issuer.ts";
import { median } from "../statistics.ts";
import { startExecutable } from "./test-server.ts";

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { count: { type: "string", default: "500" }, runs: { type: "string", default: "5" } },
});
const count = Number(values.count);

const issuer = await startIssuer();
const flags = ["--workers", "1", "--ci-issuers", issuer.url, "--exchange-rate", "off"];
const vitrine = await startExecutable(flags, "0");
const api = `http://127.0.0.1:${vitrine.port}`;
await addPublisher();

await exchange(await signTokens());
const times: number[] = [];
for (let run = 0; run < Number(values.runs); run++) {
  const tokens = await signTokens();
  const before = vitrine.processorTime();
  await exchange(tokens);
  times.push(((vitrine.processorTime() - before) / count) * 1000);
}
const [least, most] = [Math.min(...times), Math.max(...times)].map((time) => time.toFixed(2));
console.log(
  `an exchange: ${median(times).toFixed(2)} ms of processor time (median of ${times.length}; ${least} to ${most})`,
);
await vitrine.stop();
await issuer.stop();

/** Publishes a site, and lets the workflow publish to it. */
async function addPublisher(): Promise<void> {
  const authorization = `Bearer ${vitrine.token}`;
  const body = new FormData();
  const archive = await zipOf({ "index.html": "hello" });
  body.set("file", new Blob([archive as Uint8Array<ArrayBuffer>]), "site.zip");
  const headers = { authorization, "x-service-site": "bench" };
  const deployed = await fetch(`${api}/deploy`, { method: "POST", headers, body });
  if (deployed.status !== 201) throw new Error(await deployed.text());
  const publisher = { provider: "github", issuer: issuer.url, repository: "octo/blog", permission: "publish" };
  const added = await fetch(`${api}/sites/bench/publishers`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ ...publisher, ref: "refs/heads/main" }),
  });
  if (added.status !== 201) throw new Error(await added.text());
}

/** Returns ID tokens of as many runs: each is accepted once. */
function signTokens(): Promise<readonly string[]> {
  const claims = { ...GITHUB_PUSH, aud: vitrine.baseUrl };
  return Promise.all(Array.from({ length: count }, () => issuer.sign(claims)));
}

/** Exchanges one token after the other. */
async function exchange(tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    const body = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: token,
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      scope: "site:bench",
    });
    const response = await fetch(`${api}/auth/token`, { method: "POST", body });
    if (response.status !== 200) throw new Error(await response.text());
    await response.arrayBuffer();
  }
}
