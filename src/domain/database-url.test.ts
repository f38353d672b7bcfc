import { describe, expect, test } from "bun:test";
import { formatDatabaseUrl, parseDatabaseUrl, urlOfHost } from "./database-url.ts";

describe("a database's URL", () => {
  test.each<[string, object]>([
    ["postgres://db/vitrine", { hosts: [{ hostname: "db", port: 5432 }], username: "", database: "vitrine" }],
    ["postgresql://ada:a%2Fb:c@db:1/x", { username: "ada", password: "a/b:c", hosts: [{ hostname: "db", port: 1 }] }],
    [
      "postgres://ada@one:5433,two,[::1]:5434/x?sslmode=require",
      {
        hosts: [
          { hostname: "one", port: 5433 },
          { hostname: "two", port: 5432 },
          { hostname: "::1", port: 5434 },
        ],
      },
    ],
  ])("%s is read", (url, expected) => {
    expect(parseDatabaseUrl(url)).toMatchObject(expected);
  });

  test.each([
    ["mysql://db/vitrine", "it has another form"],
    ["postgres://db", "it has another form"],
    ["postgres://ada:secret@/x", "it has another form"],
    ["postgres://ada:secret@a b/x", '"a b" is no host'],
    ["postgres://ada:secret@db:70000/x", "no port between 1 and 65535"],
    ["postgres://ada:secret%@db/x", "two hexadecimal digits"],
    ["postgres://ada@db/x?password=secret", "before the @"],
  ])("%s is refused without its password", (url, why) => {
    expect(() => parseDatabaseUrl(url)).toThrow(why);
    expect(() => parseDatabaseUrl(url)).not.toThrow("secret");
  });

  test.each([
    ["postgresql://a%40b:secret@db/x", "postgres://a%40b@db:5432/x"],
    ["postgres://one:1,[::1]/x?sslmode=require", "postgres://one:1,[::1]:5432/x?sslmode=require"],
  ])("%s is shown without its password", (url, shown) => {
    expect(formatDatabaseUrl(parseDatabaseUrl(url))).toBe(shown);
  });

  test("names one host at a time for the driver, without user and password", () => {
    const url = parseDatabaseUrl("postgres://ada:secret@[::1],db:5433/x?sslmode=verify-full&sslrootcert=%2Fca.pem");
    expect(url.hosts.map((host) => urlOfHost(url, host))).toEqual([
      "postgres://[::1]:5432/x?sslmode=verify-full&sslrootcert=%2Fca.pem",
      "postgres://db:5433/x?sslmode=verify-full&sslrootcert=%2Fca.pem",
    ]);
  });
});
