import { expect, test } from "bun:test";

test("a signal that arrives while the thread is busy also ends the process", async () => {
  const program = `
    import { clearingUpAtEnd } from "${import.meta.dir}/ending.ts";
    const work = async () => process.kill(process.pid, "SIGTERM");
    await clearingUpAtEnd(() => console.log("cleared up"), work);
    console.log("went on");
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  expect([await child.stdout.text(), await child.exited]).toEqual(["cleared up\n", 143]);
});
