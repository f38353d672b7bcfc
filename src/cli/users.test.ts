import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { withDataFolder } from "../app/operator.ts";
import { loadConfig } from "../config/settings.ts";
import { makeDataFolder } from "../storage/data-folder/testing/make-data-folder.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { PROGRAM } from "./testing/program-command.ts";
import { runAtTerminal } from "./testing/pseudo-terminal.ts";
import { type CliResult, runCli } from "./testing/run-cli.ts";

let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = temporaryFolder();
  env = { VITRINE_DATA_DIR: join(folder, "data") };
  await makeDataFolder(join(folder, "data"));
});

const vitrine = (...args: string[]): Promise<CliResult> => runCli(args, env);

/** Returns whether the account has this password. */
function passwordFits(login: string, password: string): Promise<boolean> | false {
  using db = new Database(join(folder, "data", "vitrine.db"), { readonly: true });
  const [[hash] = [null]] = db.query("SELECT password_hash FROM users WHERE login = ?").values(login) as string[][];
  return hash != null && Bun.password.verify(password, hash);
}

/** Runs a command with text on stdin. */
const piped = (text: string, ...args: string[]): Promise<CliResult> => runCli(args, env, text);

async function listed(): Promise<string[]> {
  return JSON.parse((await vitrine("users", "list", "--json")).stdout).map(({ login }: { login: string }) => login);
}

describe("users add", () => {
  test("reads the password from a pipe", async () => {
    const input = Buffer.from("correct horse\n");
    const command = Bun.$`${PROGRAM} users add ada --name Ada --password-stdin < ${input}`;
    const { exitCode, stdout, stderr } = await command.env(env).quiet().nothrow();
    expect([exitCode, `${stdout}`, `${stderr}`]).toEqual([0, "", "✓ Added ada.\n"]);
    expect(await passwordFits("ada", "correct horse")).toBe(true);
    expect(await passwordFits("ada", "correct horse\n")).toBe(false);
  });

  test("limits a name by characters", async () => {
    const add = (login: string, length: number) => vitrine("users", "add", login, "--name", "🎓".repeat(length));
    expect((await add("ada", 100)).status).toBe(0);
    expect(await add("eve", 101)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("at most 100 characters"),
    });
    expect(await listed()).toEqual(["ada"]);
  });

  test("asks for the password on a terminal, twice and without echo", async () => {
    const session = runAtTerminal(["users", "add", "ada"], env);
    await session.shows("Password: ");
    session.type("one thing\r");
    await session.shows("Repeat the password: ");
    session.type("another\r");
    await session.shows("do not match");
    await session.shows("Password: \r\nRepeat the password: \r\nThe passwords do not match.\r\nPassword: ");
    session.type("corretc\x7f\x7fct horse\r");
    session.type("wrong start\x15correct horse\r");
    const { status, screen } = await session.exited;
    expect({ status, echoed: /horse|one thing|another/.test(screen) }).toEqual({ status: 0, echoed: false });
    expect(await passwordFits("ada", "correct horse")).toBe(true);
  });

  test("changes nothing if it is interrupted at the prompt", async () => {
    const session = runAtTerminal(["users", "add", "ada"], env);
    await session.shows("Password: ");
    session.type("\x03");
    expect((await session.exited).status).toBe(1);
    expect(await listed()).toEqual([]);
  });

  test("without a terminal or a pipe creates an account without a password, and says so", async () => {
    const { status, stderr } = await vitrine("users", "add", "ada");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: "✓ Added ada.\nNo password was set. Set one: vitrine users passwd ada\n",
    });
    expect(await passwordFits("ada", "")).toBe(false);
  });

  test.each([
    ["", 2, "no password on stdin"],
    ["one\ntwo\n", 2, "more than one line"],
    ["1234567\n", 1, "at least 8 characters"],
    [`${"x".repeat(1025)}\n`, 1, "at most 1024 characters"],
  ])("refuses %p as a password", async (text, status, message) => {
    const result = await piped(text, "users", "add", "ada", "--password-stdin");
    expect(result).toMatchObject({ status, stderr: expect.stringContaining(message) });
    expect(await listed()).toEqual([]);
  });

  test("refuses an existing login in any case, and an invalid one", async () => {
    await vitrine("users", "add", "ada");
    expect(await vitrine("users", "add", "Ada")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("already"),
    });
    expect(await vitrine("users", "add", "a b")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("a b cannot be a login: a login has 1 to 64 letters"),
    });
  });
});

test("users list prints everybody, as a table and as JSON", async () => {
  expect((await vitrine("users", "list")).stderr).toContain("vitrine users add LOGIN");
  await vitrine("users", "add", "ada", "--name", "Ada Lovelace");
  expect((await vitrine("users", "list")).stdout).toMatch(/^LOGIN {2}NAME .*\nada {4}Ada Lovelace {2}owner {2}0 /);
  const asJson = (await vitrine("users", "list", "--json")).stdout;
  await vitrine("users", "operator", "ada", "on");
  expect((await vitrine("users", "list")).stdout).toContain("\nada    Ada Lovelace  operator  0 ");
  expect(JSON.parse(asJson)).toEqual([
    {
      login: "ada",
      name: "Ada Lovelace",
      provider: "local",
      may_own: true,
      operator: false,
      created_at: expect.stringMatching(/Z$/),
      frozen: null,
      sites: 0,
      bytes: 0,
      max_sites: null,
      max_bytes: null,
    },
  ]);
});

test("users invite prints a link, which may name a site and a role", async () => {
  const invite = (...options: string[]) => vitrine("users", "invite", "grace", ...options);
  await vitrine("users", "add", "ada");
  {
    using db = new Database(join(folder, "data", "vitrine.db"));
    db.run(`INSERT INTO sites (name, owner_id, private, created_at, last_deployed_at, last_number)
            SELECT 'demo', id, 0, 0, 0, 0 FROM users WHERE login = 'ada'`);
  }
  expect(await invite()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^http:.*\/account\/\S{27}\n$/) });
  const named = async (...options: string[]) =>
    JSON.parse((await invite("--site", "demo", ...options, "--json")).stdout);
  expect(await named()).toMatchObject({ login: "grace", site: { name: "demo", role: "deployer" } });
  expect(await named("--role", "maintainer")).toMatchObject({ site: { name: "demo", role: "maintainer" } });
  expect((await invite("--role", "maintainer")).status).toBe(2);
  expect(await invite("--site", "nowhere")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('site does not exist: "nowhere"'),
  });
});

describe("users passwd", () => {
  test("sets a new password and ends the existing sessions", async () => {
    await piped("old password", "users", "add", "ada", "--password-stdin");
    await vitrine("users", "session", "ada");
    expect((await piped("new password", "users", "passwd", "ada", "--password-stdin")).status).toBe(0);
    expect([await passwordFits("ada", "old password"), await passwordFits("ada", "new password")]).toEqual([
      false,
      true,
    ]);
    const sessions = await withDataFolder(loadConfig({ env }), ({ store }) => store.sessions.listOfUser(1, Date.now()));
    expect(sessions).toEqual([]);
  });

  test("refuses a password that is too short, and keeps the old one", async () => {
    await piped("old password", "users", "add", "ada", "--password-stdin");
    expect(await piped("1234567", "users", "passwd", "ada", "--password-stdin")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("at least 8 characters"),
    });
    expect(await passwordFits("ada", "old password")).toBe(true);
  });

  test("without a terminal or a pipe is a usage error", async () => {
    await vitrine("users", "add", "ada");
    expect(await vitrine("users", "passwd", "ada")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--password-stdin"),
    });
  });
});

describe("users session", () => {
  test("prints only the token on stdout", async () => {
    await vitrine("users", "add", "ada");
    expect((await vitrine("users", "session", "ada")).stdout).toMatch(/^vts_[0-9A-Za-z]+\n$/);
  });

  test("--ttl limits its lifetime", async () => {
    await vitrine("users", "add", "ada");
    const before = Date.now();
    const { expires_at } = JSON.parse((await vitrine("users", "session", "ada", "--ttl", "12h", "--json")).stdout);
    const lifetime = Date.parse(expires_at) - before;
    expect(lifetime).toBeGreaterThanOrEqual(12 * 3_600_000);
    expect(lifetime).toBeLessThan(12 * 3_600_000 + 60_000);
  });

  test.each(["soon", "30", "0d", "-1d", "91d"])("--ttl %p is a usage error", async (ttl) => {
    expect((await vitrine("users", "session", "ada", `--ttl=${ttl}`)).status).toBe(2);
  });
});

test.each(["passwd --password-stdin", "remove", "session"])(
  "users %s of an unknown user says where to look",
  async (words) => {
    const [verb = "", ...rest] = words.split(" ");
    await vitrine("users", "add", "ada");
    expect(await piped("password", "users", verb, "eve", ...rest)).toMatchObject({
      status: 1,
      stderr: "error: there is no user called eve\nSee all users: vitrine users list\n",
    });
  },
);

test.each(["remove ada --with-sites", "freeze ada", "unfreeze eve", "limit ada --sites 3"])(
  "without an audit record nothing is changed: users %s",
  async (command) => {
    for (const login of ["ada", "eve"]) await vitrine("users", "add", login);
    await vitrine("users", "freeze", "eve");
    using db = new Database(join(folder, "data", "vitrine.db"));
    db.run(`INSERT INTO sites (name, owner_id, private, created_at, last_deployed_at, last_number)
            SELECT 'demo', id, 0, 0, 0, 0 FROM users WHERE login = 'ada'`);
    db.run("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'there is no room'); END");
    const before = (await vitrine("users", "list", "--json")).stdout;
    expect(await vitrine("users", ...command.split(" "))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("there is no room"),
    });
    expect((await vitrine("users", "list", "--json")).stdout).toBe(before);
  },
);

test("a site that was created meanwhile keeps its owner, and the deleted ones are reported", async () => {
  await vitrine("users", "add", "ada");
  using db = new Database(join(folder, "data", "vitrine.db"));
  const late = "INSERT INTO sites (name, owner_id, private, created_at, last_deployed_at, last_number)";
  db.run(`${late} SELECT 'demo', id, 0, 0, 0, 0 FROM users`);
  db.run(`CREATE TRIGGER late AFTER DELETE ON sites BEGIN ${late} VALUES ('late', OLD.owner_id, 0, 0, 0, 0); END`);
  expect(await vitrine("users", "remove", "ada", "--with-sites")).toMatchObject({
    status: 1,
    stderr:
      "error: ada was not removed: it has new sites (late); deleted: demo\n" +
      "Run it again: vitrine users remove ada --with-sites\n",
  });
  expect(await listed()).toEqual(["ada"]);
});

describe("with another provider", () => {
  const OIDC = {
    VITRINE_PROVIDER: "oidc",
    VITRINE_PROVIDER_URL: "https://id.example.org",
    VITRINE_PROVIDER_CLIENT_ID: "vitrine",
  };

  test("users are added without a password, and cannot set one", async () => {
    Object.assign(env, OIDC);
    expect(await vitrine("users", "add", "ada@example.org")).toMatchObject({
      status: 0,
      stderr: "✓ Added ada@example.org.\n",
    });
    expect((await piped("x", "users", "add", "eve@example.org", "--password-stdin")).status).toBe(2);
    expect(await piped("x", "users", "passwd", "ada@example.org", "--password-stdin")).toMatchObject({
      status: 1,
      stderr: "error: the password of ada@example.org is managed by oidc\n",
    });
  });

  test("earlier built-in accounts can still be removed", async () => {
    await vitrine("users", "add", "ada");
    Object.assign(env, OIDC);
    expect((await vitrine("users", "remove", "Ada")).status).toBe(0);
    expect(await listed()).toEqual([]);
  });
});

test("an invalid settings file also stops an operator's command, with one line", async () => {
  await Bun.write(join(folder, "data", "vitrine.toml"), "lisen = 1");
  expect(await vitrine("users", "list")).toMatchObject({
    status: 2,
    stderr: `error: ${folder}/data/vitrine.toml: lisen is not a setting; did you mean listen?\n`,
  });
});
