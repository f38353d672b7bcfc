import type { CliResult } from "../../cli/testing/run-cli.ts";

/** Runs commands of a program for Node.js, one after the other, in one process. */
export interface NodeCommands {
  run(args: readonly string[], env: Record<string, string>): Promise<CliResult>;
  [Symbol.dispose](): void;
}

const RUNNER = Bun.fileURLToPath(new URL("node-commands.mjs", import.meta.url));

export function startNodeCommands(program: string): NodeCommands {
  let answer = Promise.withResolvers<CliResult>();
  const child = Bun.spawn(["node", RUNNER, program], {
    env: { PATH: process.env.PATH ?? "" },
    serialization: "json",
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (result: CliResult) => answer.resolve(result),
    onExit: (_, status) => answer.reject(new Error(`node ended with status ${status}`)),
  });
  return {
    run(args, env) {
      answer = Promise.withResolvers();
      child.send({ args, env });
      return answer.promise;
    },
    [Symbol.dispose]: () => child.kill(),
  };
}
