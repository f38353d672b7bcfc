import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { addLocalAccount } from "../acceptance/testing/accounts.ts";
import { zipOf } from "../acceptance/testing/archives.ts";
import { openTestApi } from "../api/testing/test-api.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { runAtTerminal } from "./testing/pseudo-terminal.ts";
import { type CliResult, runCli } from "./testing/run-cli.ts";

const vitrine = await openTestApi({ "max-archive-bytes": "3MiB" });
const { token } = await vitrine.signUp("ada");
/** The environment of ada, who is signed in through a variable. */
const ada: Record<string, string> = {
  VITRINE_SERVER: vitrine.listen(),
  VITRINE_TOKEN: token,
  XDG_CONFIG_HOME: temporaryFolder(),
};
afterAll(() => vitrine[Symbol.asyncDispose]());

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

async function write(files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [path, content] of Object.entries(files)) await Bun.write(join(folder, path), content);
}

function cli(...args: string[]): Promise<CliResult> {
  return runCli(args, ada);
}

/** Runs a command that must succeed, and returns its JSON. */
async function json<T>(...args: string[]): Promise<T> {
  const { status, stdout, stderr } = await cli(...args, "--json");
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return JSON.parse(stdout) as T;
}

async function page(label: string, path = "/"): Promise<string> {
  return (await vitrine.visit(label, path)).text();
}

describe("deploy", () => {
  test("a folder becomes a site, and the second deployment updates it", async () => {
    await write({ "index.html": "one", "css/a.css": "a{}", "node_modules/x/y.js": "no" });
    const first = await cli("deploy", folder);
    expect(first.stdout).toMatch(/^http:\/\/[a-z0-9-]+\.localhost:\d+\n$/);
    expect(first.stderr).toMatch(/^✓ Deployed 2 files, 6 bytes, to ([a-z0-9-]+) as deployment 1 in [\d.]+ m?s\.\n/);
    const [, name = ""] = /http:\/\/([a-z0-9-]+)\./.exec(first.stdout) ?? [];
    expect(await Bun.file(join(folder, "vitrine.json")).json()).toEqual({ sites: { ".": name } });

    await write({ "index.html": "two" });
    const second = await cli("deploy", folder);
    expect(second.stdout).toBe(first.stdout);
    expect([await page(name), await page(`1--${name}`)]).toEqual(["two", "one"]);
    expect((await vitrine.visit(name, "/vitrine.json")).status).toBe(404);
  });

  test("a ZIP is sent unchanged, and a single page becomes the index page", async () => {
    await write({ "site.zip": await zipOf({ "index.html": "zipped" }), "talk.html": "talk" });
    expect((await cli("deploy", join(folder, "site.zip"), "--site", "zipped")).status).toBe(0);
    expect(await page("zipped")).toBe("zipped");
    const { stderr } = await cli("deploy", join(folder, "talk.html"), "--site", "talk");
    expect(stderr).toMatch(/^✓ Deployed 1 file, 4 bytes, to talk as deployment 1 in [\d.]+ m?s\.\nSaved [^\n]+\n$/);
    expect(await page("talk")).toBe("talk");
  });

  test.each(["notes.txt", "what? #1 50%.txt", "re:port.txt"])(
    "a single file is served where it says: %s",
    async (name) => {
      await write({ [name]: "here" });
      const { stderr } = await cli("deploy", join(folder, name), "--site", "single");
      const { pathname, search, hash } = new URL(/^The file is at (\S+)$/m.exec(stderr)?.[1] ?? "");
      expect(await page("single", pathname + search + hash)).toBe("here");
    },
  );

  test.each([".hidden.txt", "_redirects"])("a single file that is never served is reported: %s", async (name) => {
    await write({ [name]: "/a /b" });
    const { status, stderr } = await cli("deploy", join(folder, name), "--site", "single");
    expect([status, stderr]).toEqual([0, expect.not.stringContaining("The file is at")]);
  });

  test("shows the warnings with file and line", async () => {
    await write({ "index.html": "x", _redirects: "/a /b\nnonsense\n" });
    const { status, stdout, stderr } = await cli("deploy", folder, "--site", "warned", "--json");
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringMatching(/warning: _redirects:2: /) });
    expect(JSON.parse(stdout)).toMatchObject({
      site_name: "warned",
      warnings: [{ file: "_redirects", line: 2 }],
    });
  });

  test("--private publishes and makes the site private in one step", async () => {
    await write({ "index.html": "secret" });
    expect(await json("deploy", folder, "--site", "hidden", "--private")).toMatchObject({ private: true });
    expect(await page("hidden")).not.toContain("secret");
    expect((await cli("access", "show", "hidden")).stdout).toBe("private\n");
  });

  test("a source above a limit is refused before packing, with the limit's name", async () => {
    await write({ "index.html": "x", "video.mp4": "" });
    await truncate(join(folder, "video.mp4"), 300 * 1024 * 1024);
    expect(await cli("deploy", folder, "--site", "too-big")).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "error: video.mp4 has 300 MiB, over the server's limit of 256 MiB for a file (max-file-bytes).\n" +
        "Exclude files with .vitrineignore, or ask the operator to raise the limit.\n",
    });
    expect((await vitrine.visit("too-big")).status).toBe(404);
  });

  test("shows the server's error if a limit is exceeded during the upload", async () => {
    await write({ "index.html": "x" });
    for (let copy = 0; copy < 100; copy++) {
      await write({ [`${copy}.bin`]: crypto.getRandomValues(new Uint8Array(65_536)) });
    }
    const { status, stdout, stderr } = await cli("deploy", folder, "--site", "too-big");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("error: a deployment limit was exceeded");
    expect(stderr).toContain(".vitrineignore");
    expect((await vitrine.visit("too-big")).status).toBe(404);
  });

  test("the same files create no new deployment, unless it is forced", async () => {
    await write({ "index.html": "same" });
    const first = await cli("deploy", folder, "--site", "same");
    const second = await cli("deploy", folder, "--site", "same");
    expect(second).toEqual({
      status: 0,
      stdout: first.stdout,
      stderr: "✓ Nothing changed: deployment 1 of same has the same files.\n",
    });
    expect(await json("deploy", folder, "--site", "same")).toMatchObject({ deployment_number: 1, unchanged: true });
    expect((await cli("deploy", folder, "--site", "same", "--force")).stderr).toContain("as deployment 2 in ");
  });

  test("the history shows the first line of the message, and the commit, of a deployment, from flags or CI variables", async () => {
    await write({ "index.html": "1" });
    await cli("deploy", folder, "--site", "noted", "--message", "Grün\n\n100 %", "--commit", "9fceb02", "--ref", "v1");
    await write({ "index.html": "2" });
    await runCli(["deploy", folder, "--site", "noted"], {
      ...ada,
      GITHUB_SHA: "ab12",
      GITHUB_REF: "refs/heads/main",
    });
    expect(await json("deployments", "list", "noted")).toMatchObject([
      { message: null, commit: "ab12", ref: "refs/heads/main" },
      { message: "Grün", commit: "9fceb02", ref: "v1" },
    ]);
    expect((await cli("deployments", "list", "noted")).stdout).toMatch(/\n1 +earlier .* Grün +ada +1 .* 9fceb02 +v1\n/);
  });

  test("a preview leaves the site unchanged until it is promoted, and its alias is the pipeline's branch", async () => {
    await write({ "index.html": "live" });
    await cli("deploy", folder, "--site", "previewed");
    await write({ "index.html": "preview" });
    const output = join(folder, ".output");
    const env = { ...ada, GITHUB_REF: "refs/pull/12/merge", GITHUB_OUTPUT: output };
    const preview = await runCli(["deploy", folder, "--site", "previewed", "--preview", "--expires", "14d"], env);
    expect([preview.status, preview.stdout]).toEqual([0, `${vitrine.siteUrl("pr-12--previewed")}\n`]);
    expect(preview.stderr).toContain("to previewed as preview 2 in ");
    expect(await Bun.file(output).text()).toStartWith(`url=${vitrine.siteUrl("pr-12--previewed")}\n`);
    expect(preview.stderr).toContain("Publish the preview: vitrine promote previewed pr-12");
    expect([await page("previewed"), await page("pr-12--previewed")]).toEqual(["live", "preview"]);

    const set = await cli("aliases", "set", "previewed", "Feature/Login", "1");
    expect(set).toMatchObject({ status: 0, stdout: `${vitrine.siteUrl("feature-login--previewed")}\n` });
    expect((await cli("aliases", "list", "previewed")).stdout).toMatch(
      /^ALIAS +DEPLOYMENT +MOVED +EXPIRES +URL\nfeature-login +1 .* never +http.*\npr-12 +2 /,
    );
    expect((await cli("aliases", "remove", "previewed", "feature-login")).status).toBe(0);
    expect(await json<object[]>("aliases", "list", "previewed")).toMatchObject([
      { name: "pr-12", deployment_number: 2 },
    ]);

    expect((await cli("promote", "previewed", "PR-12")).stderr).toContain("now get deployment 2");
    expect(await page("previewed")).toBe("preview");
    const missing = await cli("promote", "previewed", "none");
    expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining("vitrine aliases list previewed")]);
    expect((await cli("promote", "previewed", "12")).status).not.toBe(0);
    expect((await cli("deploy", folder, "--expires", "14d")).status).toBe(2);
  });

  test("a preview without a branch or an alias has its number", async () => {
    await write({ "index.html": "live" });
    await cli("deploy", folder, "--site", "numbered");
    await write({ "index.html": "preview" });
    const preview = await cli("deploy", folder, "--site", "numbered", "--preview");
    expect(preview.stdout).toBe(`${vitrine.siteUrl("2--numbered")}\n`);
    expect(preview.stderr).toContain("Publish the preview: vitrine deployments activate numbered 2");
    expect(await page("numbered")).toBe("live");
  });

  test("at a terminal a new site gets the name of its folder, and one that exists is not updated without confirmation", async () => {
    await write({ "My Garden/index.html": "one" });
    const deploy = async (...keys: string[]) => {
      const session = runAtTerminal(["deploy", join(folder, "My Garden")], ada);
      await session.shows("Name of the site [my-garden]: ");
      session.type("\r");
      for (const key of keys) {
        await session.shows("You have a site my-garden. Update it? [y/N] ");
        session.type(key);
      }
      await session.exited;
      await rm(join(folder, "My Garden", "vitrine.json"), { force: true });
      return page("my-garden");
    };
    expect(await deploy()).toBe("one");
    await write({ "My Garden/index.html": "two" });
    expect(await deploy("n\r")).toBe("one");
  });

  test("a site without a start page is a warning", async () => {
    const warning = "warning: There is no index.html at the top: the site's URL shows a 404 page.";
    await write({ "a/index.html": "x", "b.html": "x" });
    const { stderr } = await cli("deploy", folder, "--site", "headless");
    expect([stderr.match(/warning: /g)?.length, stderr]).toEqual([
      1,
      expect.stringContaining(`${warning} Did you mean ${folder}/a?\n`),
    ]);
    await write({ "site.zip": await zipOf({ "b.html": "x", "c.html": "x" }) });
    expect((await cli("deploy", join(folder, "site.zip"), "--site", "headless")).stderr).toContain(
      "warning: index.html: there is no index.html at the top, so the site's URL shows a 404 page\n",
    );
    await write({ "site.zip": await zipOf({ "index.html": "x" }) });
    expect((await cli("deploy", join(folder, "site.zip"), "--site", "headless")).stderr).not.toContain("warning");
  });

  test("an unnamed public site becomes private only after confirmation", async () => {
    await write({ "index.html": "one" });
    await cli("deploy", folder, "--site", "open");
    await write({ "index.html": "two" });
    expect(await cli("deploy", folder, "--private")).toEqual({
      status: 2,
      stdout: "",
      stderr:
        "error: cannot ask without a terminal: " +
        "open is public. Make it private, so that only you and its readers can view it?\n" +
        "Name the site to confirm: --private --site open\n",
    });
    const session = runAtTerminal(["deploy", folder, "--private"], ada);
    await session.shows("[y/N] ");
    session.type("n\r");
    const { status, screen } = await session.exited;
    expect([status, screen]).toEqual([0, expect.stringContaining("Nothing was changed.")]);
    expect(await page("open")).toBe("one");

    expect((await cli("deploy", folder, "--private", "--site", "open")).status).toBe(0);
    await write({ "index.html": "three" });
    expect((await cli("deploy", folder, "--private")).status).toBe(0);
  });

  test("refuses a file that is no archive with the server's error, and remembers no site", async () => {
    await write({ "site.zip": "this is no ZIP" });
    const { status, stderr } = await cli("deploy", join(folder, "site.zip"), "--site", "no-zip");
    expect(status).toBe(1);
    expect(stderr).toContain("archive");
    expect(await Bun.file(join(folder, "vitrine.json")).exists()).toBe(false);
  });

  test("an invalid site name is refused with the API's message, even if it cannot be sent", async () => {
    await write({ "index.html": "x" });
    const archive = await zipOf({ "index.html": "x" });
    const response = await vitrine.deploy(ada.VITRINE_TOKEN as string, archive, { site: "Demo" });
    const { detail } = (await response.json()) as { detail: string };
    for (const site of ["Demo", "日本", "a\nb"]) {
      const { status, stderr } = await cli("deploy", folder, "--site", site);
      const words = detail.replace('"Demo"', JSON.stringify(site));
      expect([response.status, status, stderr]).toEqual([400, 1, expect.stringContaining(`error: ${words}\n`)]);
    }
  });

  test("a remembered site of another owner is an error that says how to continue", async () => {
    const { token } = await vitrine.signUp("berta");
    await vitrine.deploy(token, await zipOf({ "index.html": "x" }), { site: "of-berta" });
    await write({ "index.html": "x", "vitrine.json": '{"sites": {".": "of-berta"}}' });
    const { status, stderr } = await cli("deploy", folder);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/of-berta belongs to someone else\n.*names the site of-berta\. .*--site NAME/),
    });
  });

  test("a deployment token deploys to its own site, and an error explains that it cannot name another", async () => {
    await write({ "index.html": "by CI" });
    await cli("deploy", folder, "--site", "by-ci");
    const { token } = await json<{ token: string }>("tokens", "create", "by-ci", "--name", "CI");
    const asCi = { ...ada, VITRINE_TOKEN: token };
    expect(await runCli(["deploy", folder, "--site", "by-ci"], asCi)).toMatchObject({ status: 0 });
    const refused = await runCli(["deploy", folder, "--site", "elsewhere"], asCi);
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("error: this deployment token is for by-ci\n"),
    });
  });
});

describe("a deployment", () => {
  test("is listed, rolled back, downloaded, deployed again with the same bytes, and deleted", async () => {
    await write({ "site/index.html": "one", "site/grün.txt": "umlaut" });
    await cli("deploy", join(folder, "site"), "--site", "history");
    await write({ "site/index.html": "two" });
    await cli("deploy", join(folder, "site"), "--site", "history");
    const listed = await cli("deployments", "list", "history");
    expect(listed.stdout).toMatch(/^NUMBER .*\n2 +live .*ada.*\n1 +earlier .*ada/);

    expect(await cli("rollback", "history")).toMatchObject({
      status: 0,
      stderr: `✓ Visitors of history now get deployment 1 instead of 2.\nUndo it: vitrine deployments activate history 2\n`,
    });
    expect(await page("history")).toBe("one");
    expect((await cli("rollback", "history")).stderr).toStartWith("error: history had no live deployment before 1\n");
    const archive = join(folder, "history.zip");
    expect((await cli("deployments", "download", "history", "2", archive)).status).toBe(0);
    await cli("deploy", archive, "--site", "history-again");
    expect([await page("history-again"), await page("history-again", "/grün.txt")]).toEqual(["two", "umlaut"]);

    expect((await cli("sites", "list")).stdout).toMatch(/^NAME +ACCESS +URL .*\nhistory-again +public +http:/ms);
    const [newest] = await json<{ name: string; url: string }[]>("sites", "list");
    expect(newest?.url).toBe(vitrine.siteUrl(newest?.name ?? ""));
    const opened = await cli("open", "history-again", "--no-browser");
    expect([opened.status, opened.stdout]).toEqual([0, `${vitrine.siteUrl("history-again")}\n`]);
    expect((await cli("open", "history-agian")).stderr).toBe(
      "error: you have no site called history-agian\nDid you mean history-again?\n",
    );
    expect(await cli("sites", "delete", "history")).toEqual({
      status: 2,
      stdout: "",
      stderr:
        `error: cannot ask without a terminal: Delete history with all its deployments at ${ada.VITRINE_SERVER}?\n` +
        "Confirm with --yes.\n",
    });
    expect((await vitrine.visit("history")).status).toBe(200);
    expect((await cli("sites", "delete", "history", "--yes")).status).toBe(0);
    expect((await vitrine.visit("history")).status).toBe(404);
    expect(await cli("sites", "delete", "history", "--yes")).toMatchObject({ status: 1 });
  });

  test("a failed download leaves no file", async () => {
    const file = join(folder, "x.zip");
    expect((await cli("deployments", "download", "nothing", "1", file)).status).toBe(1);
    expect(await Bun.file(file).exists()).toBe(false);
  });

  test("in a terminal a deletion needs confirmation, and declining is not an error", async () => {
    await write({ "index.html": "x" });
    await cli("deploy", folder, "--site", "asked");
    const answering = async (answer: string) => {
      const session = runAtTerminal(["sites", "delete", "asked"], ada);
      await session.shows("[y/N] ");
      session.type(`${answer}\r`);
      const { status, screen } = await session.exited;
      return [status, Bun.stripANSI(screen).includes("Nothing was changed."), (await vitrine.visit("asked")).status];
    };
    expect(await answering("n")).toEqual([0, true, 200]);
    expect(await answering("y")).toEqual([0, false, 404]);
  });
});

describe("access to a site", () => {
  test("is private with a reader, and public again", async () => {
    await write({ "index.html": "x" });
    await addLocalAccount(vitrine, "grace");
    await cli("deploy", folder, "--site", "shared");
    expect(await cli("readers", "add", "shared", "grace")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("vitrine access private shared"),
    });
    expect((await cli("access", "private", "shared")).status).toBe(0);
    expect(await json("readers", "add", "shared", "grace")).toMatchObject({ provider_login: "grace" });
    expect((await cli("readers", "list", "shared")).stdout).toContain("grace");
    expect((await cli("readers", "remove", "shared", "Grace")).status).toBe(0);
    expect(await json("readers", "list", "shared")).toEqual([]);
    expect((await cli("readers", "remove", "shared", "grace")).status).toBe(1);
    expect(await json("access", "public", "shared")).toEqual({ private: false });
    expect(await json("access", "show", "shared")).toEqual({ private: false });
  });
});

test("the policy for previews is shown and set", async () => {
  await write({ "index.html": "x" });
  await cli("deploy", folder, "--site", "policy");
  const everybody = "Previews of policy can be seen by everybody who can see the site. New ones expire after 30d.\n";
  expect(await cli("previews", "policy", "policy")).toMatchObject({ status: 0, stdout: everybody });
  const set = await cli("previews", "policy", "policy", "--access", "private", "--expires", "14d");
  expect(set.stdout).toBe("Previews of policy can be seen by its owner and readers. New ones expire after 14d.\n");
  expect(await json("previews", "policy", "policy")).toEqual({ access: "private", expires_in: "14d" });
  const invalid = await cli("previews", "policy", "policy", "--expires", "soon");
  expect(invalid).toMatchObject({ status: 1, stderr: expect.stringContaining("--expires: ") });
});

describe("deployment tokens", () => {
  test("are printed once, listed without their secret, and revoked", async () => {
    await write({ "index.html": "x" });
    await cli("deploy", folder, "--site", "tokens");
    const created = await cli("tokens", "create", "tokens", "--name", "Nightly");
    expect(created.stdout).toMatch(/^vtd_[0-9A-Za-z]+\n$/);
    const [token] = await json<{ id: string; name: string }[]>("tokens", "list");
    expect(token).toMatchObject({ name: "Nightly", site_name: "tokens", last_used_at: "" });
    expect((await cli("tokens", "list")).stdout).not.toContain(created.stdout.trim());
    expect(await json("tokens", "list", "tokens")).toMatchObject([{ name: "Nightly" }]);
    expect((await cli("tokens", "list", "others")).stderr).toBe(
      "No deployment tokens of others. Create one: vitrine tokens create others\n",
    );
    expect((await cli("tokens", "revoke", token?.id as string)).status).toBe(0);
    expect((await cli("tokens", "revoke", token?.id as string)).stderr).toContain("vitrine tokens list");
    const dead = await runCli(["deploy", folder, "--site", "tokens"], {
      ...ada,
      VITRINE_TOKEN: created.stdout.trim(),
    });
    expect(dead).toMatchObject({ status: 1, stderr: expect.stringContaining("authentication is required") });
  });
});
