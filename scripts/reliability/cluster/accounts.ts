import type { Tokens } from "./clients.ts";

/** Runs the commands that create an owner and an operator, and returns their sessions. */
export async function makeAccounts(
  executable: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const run = async (args: readonly string[]): Promise<string> => {
    const child = Bun.spawn([executable, "users", ...args, ...flags], {
      env: { ...process.env, ...env },
      stdin: new Blob(["correct horse battery\n"]),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (status !== 0) throw new Error(`users ${args.join(" ")}: ${errors}`);
    return output.trim();
  };
  for (const login of ["ada", "olga"]) await run(["add", login, "--password-stdin"]);
  await run(["operator", "olga", "on"]);
  return { owner: await run(["session", "ada"]), operator: await run(["session", "olga"]) };
}
