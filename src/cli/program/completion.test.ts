import { expect, test } from "bun:test";
import { join } from "node:path";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { spawnAtTerminal } from "../testing/pseudo-terminal.ts";
import { capturedTerminal, runCli } from "../testing/run-cli.ts";
import { EXECUTABLE } from "./executable.ts";
import { buildProgram } from "./program.ts";

const folder = temporaryFolder();
for (const shell of ["bash", "zsh", "fish"]) {
  await Bun.write(join(folder, shell), (await runCli(["completion", shell])).stdout);
}
await Bun.write(join(folder, "public", "index.html"), "x");

const COMMANDS = buildProgram(capturedTerminal(), EXECUTABLE)
  .commands.map((command) => command.name())
  .sort();

/** The input and the expected completions. */
const CASES: readonly [string, string][] = [
  ["vitrine dep", "deploy deployments"],
  ["vitrine users ", "add freeze invite limit list operator passwd remove session unfreeze"],
  ["vitrine users re", "remove"],
  ["vitrine access p", "private public"],
  ["vitrine deploy --pri", "--private"],
  ["vitrine serve --data-", "--data-dir"],
  ["vitrine users add --na", "--name"],
  ["vitrine --server x sit", "sites"],
];

needing("bash").describe("bash", () => {
  async function offered(typed: string): Promise<string> {
    const words = typed.split(" ");
    const script = `source '${folder}/bash'; COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")})
      COMP_CWORD=${words.length - 1}; _vitrine; echo "\${COMPREPLY[@]}"`;
    return (await Bun.$`bash -uc ${script}`.text()).trim().split(" ").sort().join(" ");
  }

  test.each(CASES)("%p offers %p", async (typed, words) => {
    expect(await offered(typed)).toBe(words);
  });

  test("the first word is any command", async () => {
    expect(await offered("vitrine ")).toBe(COMMANDS.join(" "));
  });

  test.each(["vitrine deploy ", "vitrine serve --tls-cert "])("%p is left to file name completion", async (typed) => {
    expect(await offered(typed)).toBe("");
  });
});

needing("fish").describe("fish", () => {
  async function offered(typed: string): Promise<string[]> {
    const script = `source '${folder}/fish'; complete -C '${typed}'`;
    const lines = await Bun.$`fish --no-config -c ${script}`
      .cwd(folder)
      .env({ ...process.env, HOME: folder })
      .text();
    return lines
      .trim()
      .split("\n")
      .map((line) => line.split("\t")[0] as string)
      .sort();
  }

  test.each(CASES.filter(([typed]) => !typed.includes("--server x")))("%p offers %p", async (typed, words) => {
    expect((await offered(typed)).join(" ")).toBe(words);
  });

  test("the first word is any command, and deploy takes a path", async () => {
    expect(await offered("vitrine ")).toEqual(COMMANDS);
    expect(await offered("vitrine deploy pub")).toEqual(["public/"]);
  });
});

needing("zsh").describe("zsh", () => {
  test.each([
    ["vitrine use", "vitrine users "],
    ["vitrine users pas", "vitrine users passwd "],
    ["vitrine access pri", "vitrine access private "],
    ["vitrine deploy --pri", "vitrine deploy --private "],
    ["vitrine deploy pub", "vitrine deploy public/"],
  ])("Tab makes %p to %p", async (typed, completed) => {
    const shell = spawnAtTerminal(["zsh", "-f", "-i"], { HOME: folder, PS1: "> ", ZDOTDIR: folder });
    await shell.shows("> ");
    shell.type(`cd '${folder}'; autoload -U compinit; compinit -u -D; source ./zsh; echo re''ady\r`);
    await shell.shows("ready");
    shell.type(`${typed}\t`);
    await shell.shows(completed.trimEnd());
    shell.type("\x15exit\r");
    await shell.exited;
  });
});
