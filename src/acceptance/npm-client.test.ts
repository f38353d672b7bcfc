import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NPM_CLIENT } from "../cli/program/npm-client.ts";
import { buildProgram, withSubcommands } from "../cli/program/program.ts";
import { spawnAtTerminal } from "../cli/testing/pseudo-terminal.ts";
import { type CliResult, capturedTerminal, runCli } from "../cli/testing/run-cli.ts";
import { stubServer } from "../cli/testing/stub-server.ts";
import { freePort } from "../testing/free-port.ts";
import { spawnToEnd } from "../testing/spawn-to-end.ts";
import { addLocalAccount, PASSWORD, signIn } from "./testing/accounts.ts";
import { type DomainsServer, startDomainsServer } from "./testing/domains.ts";
import { type NodeCommands, startNodeCommands } from "./testing/node-commands.ts";
import { installNpmClient, type NpmClient, npmEnvironment } from "./testing/npm.ts";
import { type Receiver, startReceiver } from "./testing/receiver.ts";

/** The npm package that a server offers, on Node.js and without any registry. */
let vitrine: DomainsServer;
let client: NpmClient;
let node: NodeCommands;
let receiver: Receiver;
let folder: string;
/** The environment of ada, who is signed in through a variable. */
let ada: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-npx-"));
  vitrine = await startDomainsServer({ "allow-private-webhooks": "on" });
  client = await installNpmClient(vitrine.baseUrl);
  node = startNodeCommands(client.program);
  receiver = startReceiver();
  const { token } = await vitrine.signUp("ada");
  ada = { VITRINE_SERVER: vitrine.baseUrl, VITRINE_TOKEN: token, XDG_CONFIG_HOME: folder, NO_COLOR: "1" };
  await Bun.write(join(folder, "site/index.html"), "hello");
});
afterAll(async () => {
  node?.[Symbol.dispose]();
  await receiver?.stop();
  await client?.[Symbol.asyncDispose]();
  await vitrine?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test("npx with the server's address signs in and deploys, and its advice can be run as it stands", async () => {
  await addLocalAccount(vitrine, "grace");
  const browser = await signIn(vitrine, "grace");
  const npx = ["npx", "--yes", `${vitrine.baseUrl}/vitrine.tgz`];
  const early = await spawnToEnd([...npx, "deploy", join(folder, "site")], { env: npmEnvironment(folder) });
  expect(early.stderr).toContain(`Sign in: npx ${vitrine.baseUrl}/vitrine.tgz login `);
  const session = spawnAtTerminal([...npx, "login", "--no-browser"], npmEnvironment(folder));
  const screen = await session.shows("Waiting for you to approve it in the browser");
  const [userCode = ""] = /[B-Z]{4}-[B-Z]{4}/.exec(screen) ?? [];
  await browser.submit("/device", { user_code: userCode, verdict: "approved" });
  expect((await session.exited).screen).toContain(`Signed in to ${vitrine.baseUrl} as grace.`);

  const deployed = await client.run(["deploy", join(folder, "site"), "--site", "hello"], { HOME: folder });
  expect(deployed.stdout).toBe(`${vitrine.siteUrl("hello")}\n`);
  expect(await (await vitrine.visit("hello")).text()).toBe("hello");
});

test("the client says of itself what its server says", async () => {
  const { version, commit } = (await (await vitrine.call("GET", "/version")).json()) as Record<string, string>;
  expect((await client.run(["version"])).stdout).toBe(`${version}\n`);
  expect(JSON.parse((await node.run(["version", "--json"], ada)).stdout)).toEqual({ version, commit });
});

test("the output is that of the executable, byte by byte", async () => {
  await runCli(["deploy", join(folder, "site"), "--site", "adas", "--message", "展示 · ünï"], ada);
  const commands: readonly (readonly string[])[] = [
    ["help", "deploy"],
    ["domains", "add", "--help"],
    ["sites", "list"],
    ["sites", "list", "--json"],
    ["deployments", "list", "adas", "--long"],
    ["limits"],
    ["explain", "adas", "/"],
    ["deploy", join(folder, "nowhere")],
    ["deploy"],
    ["depoly"],
    ["access", "show", "nothing"],
    ["whoami", "--token", "vts_wrong"],
    ["whoami", "--server", `http://127.0.0.1:${freePort()}`],
    ["whoami", "--server", "http://nowhere.invalid"],
    ["whoami", "--server", vitrine.baseUrl.replace("http:", "https:")],
  ];
  const differing: [string, CliResult, CliResult][] = [];
  for (const command of commands) {
    const [here, there] = await Promise.all([runCli(command, ada), node.run(command, ada)]);
    if (!Bun.deepEquals(here, there)) differing.push([command.join(" "), here, there]);
  }
  expect(differing).toEqual([]);
});

test("a password is read from stdin, and an agent is answered on stdout", async () => {
  // Signed in by the first story.
  const grace = { HOME: folder };
  const changed = await client.run(["passwd", "--password-stdin"], grace, `${PASSWORD}\ncorrect zebra battery\n`);
  expect(changed).toMatchObject({ status: 0, stderr: expect.stringContaining("✓ ") });
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const answered = await client.run(["mcp"], grace, `${ping}\n`);
  expect([answered.status, JSON.parse(answered.stdout)]).toEqual([0, { jsonrpc: "2.0", id: 1, result: {} }]);
});

test("at a terminal the client asks, and draws the progress of an upload", async () => {
  await Bun.write(join(folder, "garden/photo.jpg"), new Uint8Array(2_000_000));
  const session = client.atTerminal(["deploy", join(folder, "garden")], { ...ada, NO_COLOR: "" });
  await session.shows("Name of the site [garden]: ");
  session.type("flowers\r");
  const { status, screen } = await session.exited;
  expect([status, screen]).toEqual([
    0,
    expect.stringMatching(/Uploading .* 100 % {2}1\.9 MiB of 1\.9 MiB\r.*\x1b\[2K/s),
  ]);
  expect(Bun.stripANSI(screen)).toContain("to flowers as deployment 1 in ");
});

test("the client of another server says once that the version differs, with the line that updates it", async () => {
  const headers = { "Vitrine-Version": "99.0.0" };
  await using other = stubServer({
    "GET /auth/me": Response.json({ login: "ada" }, { headers }),
    "HEAD /vitrine.tgz": new Response(),
  });
  const args = ["whoami", "--server", other.url, "--token", "vts_x"];
  const [first, second] = [
    await node.run(args, { XDG_CONFIG_HOME: folder }),
    await node.run(args, { XDG_CONFIG_HOME: folder }),
  ];
  expect(first.stderr).toContain(`server is version 99.0.0. Update: npm install --global ${other.url}/vitrine.tgz\n`);
  expect(second).toEqual({ status: 0, stdout: "ada\n", stderr: `at ${other.url}\n` });
});

test("the client has no command of the operator", async () => {
  const { status, stderr } = await client.run(["serve"]);
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("unknown command 'serve'") });
  expect((await node.run(["help"], ada)).stdout).not.toContain("backup");
});

/** What a command of the table shows on stdout or stderr. Named groups are the values of `{name}` in later commands. */
type Step = readonly [command: string, shown: RegExp, status?: CliResult["status"]];

const COMMANDS: readonly Step[] = [
  ["deploy {folder}/site --site demo --message one", /✓ Deployed 1 file, 5 bytes, to demo as deployment 1 in /],
  ["deploy {folder}/site --site demo", /✓ Nothing changed: deployment 1 of demo has the same files/],
  ["deployments download demo 1 {folder}/demo.zip", /✓ Saved deployment 1 of demo as /],
  ["deploy {folder}/demo.zip --site demo --force", /to demo as deployment 2 in /],
  ["deploy {folder}/site --site demo --force --preview next --expires 14d", /to demo as preview 3 in /],
  ["deployments list demo", /^NUMBER .*\n3 .*\n2 +live .*\n1 +earlier .* one /],
  ["deployments pin demo 1", /✓ Deployment 1 of demo is pinned/],
  ["deployments unpin demo 1", /✓ Deployment 1 of demo is unpinned/],
  ["deployments keep demo --keep-last 20", /^No deployments will be deleted/],
  ["rollback demo", /now get deployment 1 instead of 2/],
  ["deployments activate demo 2", /✓ Activated deployment 2 of demo/],
  ["promote demo next", /now get deployment 3/],
  ["deployments delete demo 1 --yes", /✓ Deleted deployment 1 of demo/],
  ["report demo", /^Checked 1 page with 0 links: 0 errors/],
  ["explain demo /", /index\.html is the page of this URL/],
  ["analytics demo", /0 views by 0 visitors/],
  ["activity demo", /^ID .*\n.* ada \(session\) +demo +Deleted deployment 1 /],
  ["open demo --no-browser", /^http:\/\/demo\./],
  ["sites list", /^NAME +ACCESS +URL (?:.*\n)+demo +public +http:/],
  ["sites tag demo client", /✓ demo has the tags client/],
  ["sites expiry demo 30d", /✓ demo expires on 20/],
  ["aliases set demo staging 2", /^http:\/\/staging--demo\./],
  ["aliases list demo", /^ALIAS .*\nnext +3 .*\nstaging +2 /],
  ["aliases remove demo staging", /✓ Removed the alias staging/],
  ["previews policy demo --expires 14d", /New ones expire after 14d/],
  ["access private demo", /✓ demo is private/],
  ["access show demo", /^private\n/],
  ["readers add demo grace", /✓ grace is now a reader/],
  ["readers list demo", /\ngrace\n/],
  ["readers remove demo grace", /✓ grace is no longer a reader/],
  ["shares create demo --label client", /^http:\/\/demo\..*\?share=vtv_/],
  ["shares list demo", /^ID .*\n(?<share>\S+) .*client/],
  ["shares revoke demo {share}", /✓ Revoked the share/],
  ["access public demo", /✓ demo is public/],
  ["members set demo grace deployer", /✓ grace is now a deployer/],
  ["members list demo", /grace +deployer/],
  ["members remove demo grace", /✓ grace is no longer a member/],
  ["tokens create demo --name CI", /^vtd_[0-9A-Za-z]+\n/],
  ["tokens list demo", /^ID .*\n(?<token>\S+) .*CI/],
  ["tokens revoke {token}", /✓ Revoked/],
  ["publishers add demo --github octo/blog --environment production", /✓ octo\/blog may publish demo/],
  ["publishers list demo", /^ID .*\n(?<publisher>\S+) .*octo\/blog/],
  ["publishers remove demo {publisher}", /✓ Removed the publisher/],
  ["webhooks add demo {receiver}", /^whsec_\S+=\n/],
  ["webhooks list demo", /^ID .*\n(?<webhook>\S+) .*enabled/],
  ["webhooks change demo {webhook} --events site.deleted", /receives site\.deleted/],
  ["webhooks rotate demo {webhook}", /^whsec_/],
  ["webhooks test demo {webhook}", /✓ Delivered ping: status 204 in /],
  ["webhooks deliveries demo {webhook}", /^DELIVERY .*\n(?<delivery>\d+) +ping +delivered /],
  ["webhooks retry demo {webhook} {delivery}", /✓ Delivered ping: status 204 in /],
  ["webhooks disable demo {webhook}", /vitrine webhooks enable demo/],
  ["webhooks enable demo {webhook}", /Enabled the webhook to /],
  ["webhooks remove demo {webhook}", /✓ Removed the webhook/],
  ["domains add demo www.shop.example", /^_vitrine-challenge\.www\.shop\.example TXT token=/],
  ["domains list demo", /^HOSTNAME .*\nwww\.shop\.example +waiting for dns /],
  ["domains check demo", /^www\.shop\.example: waiting for dns\n/],
  ["domains retry demo www.shop.example", /^error: there is no transition /, 1],
  ["domains cancel demo www.shop.example", /^error: there is no transition /, 1],
  ["domains remove demo www.shop.example", /✓ Removed www\.shop\.example/],
  ["limits", /\n--max-archive-bytes /],
  ["completion bash", /\ncomplete -o default -F _vitrine vitrine\n$/],
  ["help deploy", /^Usage: vitrine deploy/],
  ["version", /^\d+\.\d+\.\d+\n$/],
  ["sites rename demo shop", /✓ demo is now called shop/],
  ["sites delete shop --yes", /✓ Deleted shop/],
  ["login --token {ada}", /Signed in to .* as ada/],
  ["whoami", /^ada\n/],
  ["logout", /✓ Signed out of /],
];

/** Tested above, each in a process of its own, because they read stdin. */
const WITH_INPUT = ["mcp", "passwd"];

test("every command works on Node.js", async () => {
  const values: Record<string, string> = { folder, receiver: receiver.url, ada: ada.VITRINE_TOKEN ?? "" };
  const failed: unknown[] = [];
  for (const [command, shown, status = 0] of COMMANDS) {
    vitrine.advance(1001);
    const args = command.split(" ").map((word) => word.replace(/\{(\w+)\}/, (_, name) => values[name] ?? name));
    const result = await node.run(args, ada);
    const match = shown.exec(result.stdout) ?? shown.exec(result.stderr);
    Object.assign(values, match?.groups);
    if (!match || result.status !== status) failed.push({ command, ...result });
  }
  expect(failed).toEqual([]);
});

test("the commands of the table are all that the client has", () => {
  const leaves = [...withSubcommands(buildProgram(capturedTerminal(), NPM_CLIENT))].filter(
    ({ commands }) => commands.length === 0,
  );
  const names = leaves.map((leaf) => [leaf.parent?.parent ? leaf.parent.name() : "", leaf.name()].join(" ").trim());
  const tried = [...COMMANDS.map(([command]) => command), ...WITH_INPUT];
  expect(names.filter((name) => !tried.some((command) => `${command} `.startsWith(`${name} `)))).toEqual([]);
});
