import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { GITHUB_PUSH, startIssuer } from "../clients/ci/testing/issuer.ts";
import { PASSWORD } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { Browser } from "./testing/browser.ts";
import { scratchFolder, startProcess } from "./testing/executable.ts";
import { exchangeOf } from "./testing/token-exchange.ts";

const SHARE_PASSWORD = "a password for the client";

/** The bytes of all files in the data folder, including the database's log. */
async function allBytes(folder: string): Promise<Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Buffer.concat(
    await Promise.all(files.map(async (file) => Buffer.from(await Bun.file(join(file.parentPath, file.name)).bytes()))),
  );
}

/** The set-up link is printed after the line by which tests know that the process serves. */
async function saidLink(said: () => string): Promise<string> {
  for (;;) {
    const [link] = /http:\S+\/setup\/[\w-]+(?=["\s])/.exec(Bun.stripANSI(said())) ?? [];
    if (link) return link;
    await Bun.sleep(5);
  }
}

test("no password, token or code is in the log or in the data folder", async () => {
  using folder = scratchFolder();
  const issuer = await startIssuer();
  const vitrine = await startProcess(folder.path, ["--log", "json", "--ci-issuers", issuer.url]);
  try {
    const setupLink = await saidLink(vitrine.said);
    const browser = new Browser(vitrine.baseUrl);
    await browser.submit(setupLink, { login: "ada", name: "", password: PASSWORD });
    await browser.submit("/sign-in", { login: "ada", password: `${PASSWORD}, mistyped` });
    const session = browser.cookies().get("vitrine") ?? "";

    const post = async (path: string, body: object, token = session) =>
      (await (
        await vitrine.fetch(path, {
          method: "POST",
          headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
          body: JSON.stringify(body),
        })
      ).json()) as Record<string, string>;
    const codes = await post("/auth/device", {});
    await browser.submit("/device", { user_code: codes.user_code ?? "", verdict: "approved" });
    const device = await post("/auth/device/token", { device_code: codes.device_code });

    const form = new FormData();
    form.set("file", new Blob([(await zipOf({ "index.html": "hello" })) as Uint8Array<ArrayBuffer>]), "site.zip");
    const headers = { Authorization: `Bearer ${session}`, "X-Service-Site": "diary", "X-Service-Access": "private" };
    expect((await vitrine.fetch("/deploy", { method: "POST", headers, body: form })).status).toBe(201);
    const deployment = await post("/tokens", { site_name: "diary" });
    await post("/sites/diary/access/readers", { provider_login: "x" }, `${deployment.token}`);

    const run = { provider: "github", issuer: issuer.url, repository: "octo/blog", ref: "refs/heads/main" };
    await post("/sites/diary/publishers", { ...run, permission: "publish" });
    const idToken = await issuer.sign({ ...GITHUB_PUSH, aud: vitrine.baseUrl });
    const exchange = exchangeOf("diary", idToken);
    let fromCi = await post("/auth/token", exchange, "");
    // The first exchange requests the issuer's keys, which may exceed the limit on a busy machine.
    for (let again = 0; !fromCi.access_token && again < 5; again++) fromCi = await post("/auth/token", exchange, "");
    // The link is refused after its use, and the refusal is logged.
    await post("/auth/token", exchange, "");

    const share = (json: object) => post("/sites/diary/shares", { label: "client", ...json });
    const link = await share({ kind: "link" });
    const automation = await share({ kind: "automation" });
    const password = await share({ kind: "password", password: SHARE_PASSWORD });
    const guest = new Browser(vitrine.baseUrl);
    expect((await guest.get(link.url ?? "")).status).toBe(303);
    const site = vitrine.baseUrl.replace("//", "//diary.");
    const guestCookie = guest.cookies(site).get("vitrine-visit");
    expect((await guest.submit(password.url ?? "", { password: `${SHARE_PASSWORD}, mistyped` })).status).toBe(403);
    expect((await guest.submit(password.url ?? "", { password: SHARE_PASSWORD })).status).toBe(303);
    await guest.get(site, { Authorization: `Bearer ${automation.secret}` });
    const toBase = (await browser.get(site)).headers.get("location") ?? "";
    const toSite = (await browser.get(toBase)).headers.get("location") ?? "";
    expect((await browser.get(toSite)).status).toBe(303);

    const secrets = {
      "the password": PASSWORD,
      "the set-up code": setupLink.split("/").at(-1),
      "the browser's session": session,
      "the device's session": device.access_token,
      "the device code": codes.device_code,
      "the user code": codes.user_code,
      "the deployment token": deployment.token,
      "the ID token": idToken,
      "the token of CI": fromCi.access_token,
      "the share's link": new URL(link.url ?? "").searchParams.get("share"),
      "the share's token": automation.secret,
      "the share's password": SHARE_PASSWORD,
      "the guest's cookie": guestCookie,
      "the visit's code": new URL(toSite).searchParams.get("code"),
      "the visit's cookie": browser.cookies(site).get("vitrine-visit"),
      "the state": browser.cookies(site).get("vitrine-state"),
    };
    // A stopped server has written everything, including its buffered log.
    await vitrine.end("SIGTERM");
    const kept = await allBytes(folder.path);
    const said = vitrine.said().replaceAll(setupLink, "");
    expect(said).toContain('"path":"/auth/device/token"');
    expect(said).toContain('"path":"/.vitrine/enter"');
    for (const [name, secret] of Object.entries(secrets)) {
      expect(`${name}: ${(secret?.length ?? 0) >= 9}`).toBe(`${name}: true`);
      expect(`${name}: ${said.includes(secret ?? "")}`).toBe(`${name}: false`);
      expect(`${name}: ${kept.includes(secret ?? "")}`).toBe(`${name}: false`);
    }
  } finally {
    vitrine.process.kill();
    await vitrine.ended;
    await issuer.stop();
  }
});
