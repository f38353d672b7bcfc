import { expect, test } from "bun:test";
import { Glob } from "bun";

const src = import.meta.dir;

/**
 * An error for people whose message is written where it is created. The messages of invalid fields look like the
 * specification's own, such as "Field required".
 */
const MESSAGES =
  /new (?:DomainError\(\s*"\w+",|(?:Failure|UsageError|ConfigError)\()\s*(["`])((?:\\.|(?!\1)[^\\])*)\1/g;

/** Names that begin a message are written as they are. */
const NAME = /^(?:[A-Z]{2,}|GitHub|GitLab|PostgreSQL)\b/;

function isInStyle(message: string): boolean {
  const isLowerCase = !/^[A-Z]/.test(message) || NAME.test(message);
  return isLowerCase && !/[.!]$|[.!] [A-Z]/.test(message);
}

test("an error message is a sentence in lower case without a full stop", async () => {
  const files = await Array.fromAsync(new Glob("**/*.ts").scan(src));
  const sources = files.filter((file) => !/\.test\.ts$|(^|\/)testing\//.test(file)).sort();
  const found = await Promise.all(
    sources.map(async (file) =>
      [...(await Bun.file(`${src}/${file}`).text()).matchAll(MESSAGES)].map(([, , text = ""]) => `${file}: ${text}`),
    ),
  );
  const messages = found.flat();
  expect(messages.length).toBeGreaterThan(200);
  expect(messages.filter((message) => !isInStyle(message.slice(message.indexOf(": ") + 2)))).toEqual([]);
});
