import { expect, test } from "bun:test";

/** Runs a statement that writes to `log` in a new process. Returns its output on stderr. */
function written(statement: string, level: "info" | "warn" = "info"): string {
  const program = `import { stderrLog } from "${import.meta.dir}/log.ts"; const log = stderrLog("text", "${level}"); ${statement}`;
  return Bun.spawnSync([process.execPath, "-e", program]).stderr.toString();
}

test("warnings and errors are written at every level, and everything else only at info", () => {
  const statement = `log.info("it started"); log.warn("it is slow"); log.error("it failed", "why");`;
  const levels = (text: string) =>
    text
      .trim()
      .split("\n")
      .map((line) => line.split(" ")[1]);
  expect(levels(written(statement))).toEqual(["info", "warn", "error"]);
  expect(levels(written(statement, "warn"))).toEqual(["warn", "error"]);
});

test("an error is written with its stack and its causes, without lines of source", () => {
  const text = written(
    `log.error("it failed", new Error("outer", { cause: new AggregateError([new Error("inner")]) }));`,
  );
  expect(text).toMatch(/^\S+ error it failed error=Error: outer\n {4}at /);
  expect(text).toMatch(/^caused by AggregateError.*\n {4}at /m);
  expect(text).toMatch(/^caused by Error: inner\n {4}at /m);
  expect(text).not.toContain("log.error(");
});

test("an error is written with the code, the system call and the path that it has", () => {
  const text = written(`
    const { Database } = await import("bun:sqlite");
    const { readFileSync } = await import("node:fs");
    const attempt = (action) => { try { action(); } catch (error) { log.error("it failed", error); } };
    attempt(() => new Database("/nowhere/x.db"));
    attempt(() => readFileSync("/nowhere"));
    await fetch("http://127.0.0.1:1/hook?code=s3cret").catch((error) => log.error("no answer", error));`);
  expect(text).toMatch(/ {4}code=SQLITE_CANTOPEN errno=14$/m);
  expect(text).toMatch(/ {4}code=ENOENT path=\/nowhere syscall=open errno=-2$/m);
  expect(text).toMatch(/ {4}code=ECONNREFUSED path=http:\/\/127\.0\.0\.1:1\/hook /m);
  expect(text).not.toContain("sourceURL");
});

test("an error without a stack, and a value that is no error, are written too", () => {
  const text = written(`
    await fetch("http://127.0.0.1:1").catch((error) => log.error("no answer", error));
    log.error("a thread was lost", "the thread ended");`);
  expect(text).toMatch(/error no answer error=\w*Error: \S/);
  expect(text).toEndWith('error a thread was lost error="the thread ended"\n');
});
