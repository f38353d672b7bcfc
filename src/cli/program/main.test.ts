import { describe, expect, test } from "bun:test";
import { PROGRAM } from "../testing/program-command.ts";
import { runAtTerminal } from "../testing/pseudo-terminal.ts";
import { capturedTerminal, runCli } from "../testing/run-cli.ts";
import { EXECUTABLE } from "./executable.ts";
import { buildProgram, withSubcommands } from "./program.ts";

describe("exit status", () => {
  test.each([
    [["version"], 0],
    [["--version"], 0],
    [["--help"], 0],
    [["help"], 0],
    [["help", "deploy"], 0],
    [["help", "users", "add"], 0],
    [["users", "add", "--help"], 0],
    [[], 2],
    [["users"], 2],
    [["nonsense"], 2],
    [["help", "nonsense"], 2],
    [["users", "nonsense"], 2],
    [["users", "add"], 2],
    [["users", "add", "ada", "eve"], 2],
    [["version", "--nonsense"], 2],
    [["deployments", "activate", "demo", "first", "--token", "t"], 2],
    [["deployments", "list", "demo", "--limit", "abc", "--token", "t"], 2],
    [["deployments", "list", "demo", "--limit", "", "--token", "t"], 2],
    [["activity", "--before", "x", "--token", "t"], 2],
    [["webhooks", "deliveries", "demo", "id", "--before", "1e3", "--token", "t"], 2],
    [["webhooks", "retry", "demo", "id", "0x1", "--token", "t"], 2],
    [["webhooks", "remove", "demo", "..", "--token", "t", "--server", "http://127.0.0.1:9"], 2],
    [["access", "public", ".", "--token", "t", "--server", "http://127.0.0.1:9"], 2],
    [["retention", "pin", "demo", "0x1"], 2],
    [["retention", "unpin", "demo", "1.0"], 2],
    [["whoami", "--token", "t", "--server", "not a server"], 2],
    [["whoami", "--token", "vts_a\nvts_b"], 2],
    [["completion", "tcsh"], 2],
    [["deploy", "/nowhere/at/all", "--token", "t", "--server", "http://127.0.0.1:9"], 1],
    [["whoami", "--token", "t", "--server", "http://127.0.0.1:9"], 1],
  ])("vitrine %p exits with %p", async (args, status) => {
    expect((await runCli(args, { XDG_CONFIG_HOME: "/nowhere" })).status).toBe(status as 0);
  });
});

test.each([
  [["whoami", "--token", "vts_a\nvts_b"], "the token contains characters that no token has"],
  [["deploy", "", "--token", "t"], '"" does not exist'],
  [["deploy", "/nowhere/at/all", "--preview", "--token", "t"], "/nowhere/at/all does not exist"],
  [["deploy", "missing"], "missing does not exist"],
  [["activity", "--limit", "ten", "--token", "t"], '--limit: "ten" is not usable; give a whole number from 1\n'],
])("vitrine %j prints %s", async (args, words) => {
  expect((await runCli(args, { XDG_CONFIG_HOME: "/nowhere" })).stderr).toContain(words);
});

describe("help", () => {
  test("is printed on stdout on request, and on stderr after an error", async () => {
    expect((await runCli(["help"])).stdout).toContain("deploy <path>");
    expect(await runCli([])).toMatchObject({ stdout: "", stderr: expect.stringContaining("Usage: vitrine <command>") });
  });

  test("help COMMAND prints what COMMAND --help prints", async () => {
    expect((await runCli(["help", "users", "add"])).stdout).toBe((await runCli(["users", "add", "--help"])).stdout);
  });

  test("exists for every command, with a description", async () => {
    for (const command of withSubcommands(buildProgram(capturedTerminal(), EXECUTABLE))) {
      expect(command.description(), command.name()).not.toBe("");
    }
  });

  test("of serve lists every setting with its default", async () => {
    const { stdout } = await runCli(["help", "serve"]);
    expect(stdout).toContain("--max-archive-bytes <SIZE>");
    expect(stdout).toContain("VITRINE_BASE_URL");
  });
});

describe("an error comes with a remedy", () => {
  test("an unknown command suggests the nearest one", async () => {
    expect((await runCli(["deplyo", "x"])).stderr).toContain("Did you mean deploy?");
  });

  test("a missing argument points to the help", async () => {
    expect((await runCli(["users", "add"])).stderr).toBe(
      "error: missing required argument 'login'\nSee the usage: vitrine help users add\n",
    );
  });

  test("an invalid setting stops the command with one line", async () => {
    const { status, stderr } = await runCli(["users", "list"], { VITRINE_TLS: "perhaps" });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'error: VITRINE_TLS: "perhaps" is not usable; give one of off, internal, manual, acme\n',
    });
  });
});

describe("colours", () => {
  const RED_ERROR = "\x1b[31merror:\x1b[39m";

  test("are used on terminals", async () => {
    expect((await runAtTerminal(["nonsense"]).exited).screen).toContain(RED_ERROR);
    expect((await runCli(["nonsense"])).stderr).not.toContain("\x1b");
  });

  test.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("are off with %p", async (env) => {
    expect((await runAtTerminal(["nonsense"], env as Record<string, string>).exited).screen).not.toContain("\x1b[");
  });
});

test("a reader that closes the pipe early is no failure", async () => {
  const { exitCode, stderr } = await Bun.$`sh -c ${'"$@" completion bash | head -1; exit 0'} sh ${PROGRAM}`
    .quiet()
    .nothrow();
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
});
