import { describe, expect, test } from "bun:test";
import { availableParallelism, hostname } from "node:os";
import { join, resolve } from "node:path";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import {
  type Config,
  databaseAt,
  loadConfig,
  loadDataFolderConfig,
  SETTINGS,
  type Sources,
  settingsAsVariables,
  unknownVariables,
  withListenPort,
} from "./settings.ts";

const folder = temporaryFolder();

function load(flags: Record<string, unknown> = {}, env: Record<string, string> = {}): Config {
  return loadConfig({ flags: { dataDir: folder, ...flags }, env });
}

async function loadFile(toml: string, more: Partial<Sources> = {}): Promise<Config> {
  const configFile = join(folder, "settings.toml");
  await Bun.write(configFile, toml);
  return loadConfig({ flags: { dataDir: folder }, env: {}, ...more, configFile });
}

const MIB = 1024 ** 2;

/** Row name, text, parsed value. */
const USABLE: readonly [keyof typeof SETTINGS, string, unknown][] = [
  ["dataDir", "/srv/vitrine", "/srv/vitrine"],
  ["dataDir", "data", resolve("data")],
  ["listen", "127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
  ["listen", ":443", { host: null, port: 443 }],
  ["listen", "*:80", { host: null, port: 80 }],
  ["listen", "[::]:443", { host: "::", port: 443 }],
  ["listen", "localhost:0", { host: "localhost", port: 0 }],
  ["httpListen", "off", null],
  ["httpListen", ":80", { host: null, port: 80 }],
  ["http2", "off", false],
  ["hsts", "off", null],
  ["hsts", "180d", 180 * 86_400_000],
  ["baseUrl", "https://Pages.Example.org/", "https://pages.example.org"],
  ["baseUrl", "https://pages.example.org:443", "https://pages.example.org"],
  ["baseUrl", "https://pages.example.org.:8443/", "https://pages.example.org:8443"],
  ["sitesDomain", "Sites.Example.org.", "sites.example.org"],
  ["workers", "3", 3],
  ["trustedProxies", "10.0.0.0/8, 192.0.2.7,2001:db8::/32", ["10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32"]],
  ["trustedProxies", "::ffff:10.0.0.0/104, ::ffff:192.0.2.7", ["10.0.0.0/8", "192.0.2.7/32"]],
  ["tls", "acme", "acme"],
  ["tls", "INTERNAL", "internal"],
  ["acmeDirectory", "https://localhost:14000/dir", "https://localhost:14000/dir"],
  ["ciIssuers", "https://gitlab.com/,http://127.0.0.1:9/", ["https://gitlab.com", "http://127.0.0.1:9"]],
  ["ciIssuers", "off", null],
  ["mcpRedirects", "cursor://a/cb, https://b.example/*", ["cursor://a/cb", "https://b.example/*"]],
  ["acmeEmail", "ops@example.org", "ops@example.org"],
  ["acmeCaFile", "/etc/ca.pem", "/etc/ca.pem"],
  [
    "dnsResolvers",
    "127.0.0.1:8053,[::1]:53 9.9.9.9,2620:fe::fe",
    [
      { address: "127.0.0.1", port: 8053 },
      { address: "::1", port: 53 },
      { address: "9.9.9.9", port: 53 },
      { address: "2620:fe::fe", port: 53 },
    ],
  ],
  ["dnsListen", "192.0.2.1:53", { host: "192.0.2.1", port: 53 }],
  ["domains", "on", true],
  [
    "routingTargets",
    "A:203.0.113.7,AAAA:2001:db8::7,CNAME:Pages.example.org.",
    [
      { type: "A", value: "203.0.113.7" },
      { type: "AAAA", value: "2001:db8::7" },
      { type: "CNAME", value: "pages.example.org" },
    ],
  ],
  ["proxyRanges", "173.245.48.0/20", ["173.245.48.0/20"]],
  ["probePorts", "5002,5001", { http: 5002, https: 5001 }],
  ["allowPrivateProbes", "on", true],
  ["allowPrivateProbes", "true", true],
  ["allowPrivateProbes", "off", false],
  ["signup", "open", "open"],
  ["maxArchiveBytes", "536870912", 512 * MIB],
  ["maxArchiveBytes", "512MiB", 512 * MIB],
  ["maxArchiveBytes", "512 mib", 512 * MIB],
  ["maxArchiveBytes", "512M", 512 * MIB],
  ["maxArchiveBytes", "512MB", 512_000_000],
  ["maxArchiveBytes", "1.5KiB", 1536],
  ["maxArchiveBytes", "100B", 100],
  ["maxSiteBytes", "3GiB", 3072 * MIB],
  ["maxFileBytes", "1k", 1024],
  ["maxFiles", "50_000", 50_000],
  ["maxUserSites", "off", null],
  ["maxUserSites", "0", 0],
  ["maxPendingClaims", "10", 10],
  ["maxUserBytes", "1GiB", 1024 * MIB],
  ["idleTimeout", "30s", 30_000],
  ["drainDelay", "5s", 5000],
  ["drainDelay", "off", null],
  ["signInRate", "off", null],
  ["signInRate", "3/h", { count: 3, window: 3_600_000 }],
  ["claimRate", "10/1d", { count: 10, window: 86_400_000 }],
  ["visitRate", "1_000 / 10 s", { count: 1000, window: 10_000 }],
  ["cacheBytes", "1TiB", 1024 ** 4],
  ["log", "json", "json"],
  ["providerClientSecret", "s3cret", "s3cret"],
  ["oidcScopes", "openid profile,groups", ["openid", "profile", "groups"]],
  ["oidcGroupsClaim", "realm_access.roles", "realm_access.roles"],
];

/** Row name, text, a part of the message. */
const UNUSABLE: readonly [keyof typeof SETTINGS, string, string][] = [
  ["listen", "8080", "127.0.0.1:8080"],
  ["listen", "127.0.0.1:65536", "127.0.0.1:8080"],
  ["listen", "::1:80", "[::1]:8080"],
  ["listen", "http://localhost:80", "127.0.0.1:8080"],
  ["httpListen", "on", "or off"],
  ["http2", "h2c", "on or off"],
  ["hsts", "on", "a time such as 90s, 15m, 12h or 30d, or off"],
  ["hsts", "31536000", "a time such as 90s, 15m, 12h or 30d, or off"],
  ["baseUrl", "pages.example.org", "https://"],
  ["baseUrl", "ftp://pages.example.org", "https://"],
  ["baseUrl", "https://pages.example.org/app", "without a path"],
  ["baseUrl", "https://me@pages.example.org", "without a path"],
  ["sitesDomain", "203.0.113.7", "domain name"],
  ["sitesDomain", "https://x.org", "domain name"],
  ["workers", "0", "1-256"],
  ["workers", "many", "1-256"],
  ["workers", "1.5", "1-256"],
  ["trustedProxies", "10.0.0.0/33", "10.0.0.0/8"],
  ["trustedProxies", "010.0.0.1", "10.0.0.0/8"],
  ["trustedProxies", "::ffff:10.0.0.0/8", "10.0.0.0/8"],
  ["tls", "on", "off, internal, manual, acme"],
  ["tls", "toString", "off, internal, manual, acme"],
  ["acmeDirectory", "letsencrypt", "https://"],
  ["ciIssuers", "http://10.0.0.1", "https://gitlab.com"],
  ["ciIssuers", "https://gitlab.com?a=b", "https://gitlab.com"],
  ["ciIssuers", "gitlab.com", "https://gitlab.com"],
  ["mcpRedirects", "https://b.example/#a", "https://claude.ai"],
  ["mcpRedirects", "https://b.example/*/cb", "https://claude.ai"],
  ["mcpRedirects", "*", "https://claude.ai"],
  ["mcpRedirects", "javascript:alert(1)", "https://claude.ai"],
  ["acmeEmail", "nobody", "e-mail"],
  ["dnsResolvers", "dns.example.org:53", "127.0.0.1:53"],
  ["dnsResolvers", "9.9.9.9:dns", "127.0.0.1:53"],
  ["dnsResolvers", "9.9.9.9:99999", "65535"],
  ["domains", "maybe", "on or off"],
  ["routingTargets", "203.0.113.7", "A:203.0.113.7"],
  ["routingTargets", "A:2001:db8::7", "A:203.0.113.7"],
  ["routingTargets", "CNAME:203.0.113.7", "CNAME:"],
  ["routingTargets", "MX:mail.example.org", "CNAME:"],
  ["proxyRanges", "/nowhere/ranges.txt", "file that can be read"],
  ["probePorts", "80", "80,443"],
  ["allowPrivateProbes", "constructor", "on or off"],
  ["provider", "gitlab", "local, github, oidc"],
  ["oidcScopes", "profile email", "openid among them"],
  ["oidcScopes", 'openid "profile"', "separated by spaces"],
  ["signup", "yes", "closed, open"],
  ["maxArchiveBytes", "12 parsecs", "512MiB"],
  ["maxArchiveBytes", "-1", "512MiB"],
  ["maxArchiveBytes", "0", "512MiB"],
  ["maxArchiveBytes", "9999999999TiB", "512MiB"],
  ["maxFiles", "1e3", "whole number from 1"],
  ["maxUserBytes", "none", "or off"],
  ["idleTimeout", "10m", "a time from 1s to 255s"],
  ["drainDelay", "10m", "a time from 1s to 5m"],
  ["backupEvery", "10s", "a time from 1m to 365d"],
  ["signInRate", "10", "such as 10/15m or 100/s, or off"],
  ["signInRate", "0/m", "such as 10/15m or 100/s, or off"],
  ["signInRate", "5/0m", "such as 10/15m or 100/s, or off"],
  ["claimRate", "10/2d", "at most a day"],
  ["visitRate", "10000000/s", "such as 10/15m"],
  ["log", "xml", "text, json, off"],
];

function variable(name: keyof typeof SETTINGS): string {
  return `VITRINE_${SETTINGS[name].flag.replaceAll("-", "_").toUpperCase()}`;
}

test.each([
  [{ httpListen: "127.0.0.1:8080" }, "--http-listen: 127.0.0.1:8080 is where --listen listens"],
  [{ metricsListen: ":8080" }, "--metrics-listen: :8080 is where --listen listens"],
  [
    { httpListen: ":81", metricsListen: "127.0.0.1:81" },
    "--metrics-listen: 127.0.0.1:81 is where --http-listen listens",
  ],
])("%j gives two listeners the same address and is refused", (flags, message) => {
  expect(() => load(flags)).toThrow(message);
});

test("listeners may use a port that the system chooses, or one port on two addresses", () => {
  load({ listen: "127.0.0.1:0", httpListen: "127.0.0.1:0", metricsListen: "127.0.0.2:8080" });
  load({ listen: "127.0.0.1:8080", metricsListen: "127.0.0.2:8080" });
});

describe("values", () => {
  test.each(USABLE)("%s %p is accepted as flag, variable and key", async (name, text, meaning) => {
    const flag = load({ [name]: text })[name];
    const inVariable = loadConfig({ flags: {}, env: { VITRINE_DATA_DIR: folder, [variable(name)]: text } })[name];
    const inFile = (await loadFile(`${SETTINGS[name].flag} = ${JSON.stringify(text)}`, { flags: {} }))[name];
    expect({ flag, inVariable }).toEqual({ flag: meaning, inVariable: meaning } as never);
    expect(inFile).toEqual((text === "data" ? join(folder, "data") : meaning) as never);
  });

  test.each(UNUSABLE)("%s %p is refused in one line with advice, from every source", async (name, text, advice) => {
    const { flag } = SETTINGS[name];
    const sources: [string, () => unknown][] = [
      [`--${flag}`, () => load({ [name]: text })],
      [variable(name), () => load({}, { [variable(name)]: text })],
      [flag, () => loadFile(`${flag} = ${JSON.stringify(text)}`)],
    ];
    for (const [source, attempt] of sources) {
      const message = await Promise.try(attempt).then(
        () => "accepted",
        (error: Error) => error.message,
      );
      expect(message).toContain(source);
      expect(message).toContain(advice);
      expect(message).toContain(JSON.stringify(text));
      expect(message).not.toContain("\n");
    }
  });

  test("of keys are secret, so no message repeats them", () => {
    const secrets = Object.values(SETTINGS).filter((row) => row.secret);
    expect(secrets.map((row) => row.flag)).toEqual([
      "database-password",
      "acme-eab-hmac",
      "acme-fallback-eab-hmac",
      "provider-client-secret",
      "s3-access-key-id",
      "s3-secret-access-key",
      "operator-webhook-secret",
    ]);
  });

  test.each([
    ["acmeEabKid", "acme-eab-hmac", "acme-eab-kid"],
    ["acmeEabHmac", "acme-eab-kid", "acme-eab-hmac"],
    ["acmeFallbackEabKid", "acme-fallback-eab-hmac", "acme-fallback-eab-kid"],
    ["acmeFallbackEabHmac", "acme-fallback-eab-kid", "acme-fallback-eab-hmac"],
  ])("half of an external account binding stops the start: %s alone", (name, missing, given) => {
    const why = `--${missing} is needed here: give what the CA gave out with --${given}`;
    expect(() => load({ tls: "acme", [name]: "c2VjcmV0" })).toThrow(why);
  });

  test("half of an external account binding matters only to a server with a CA", () => {
    const env = { VITRINE_DATA_DIR: folder, VITRINE_TLS: "acme", VITRINE_ACME_EAB_KID: "kid-1" };
    expect(loadDataFolderConfig({ env })).toMatchObject({ acmeEabKid: "kid-1", acmeEabHmac: null });
    expect(load({ tls: "off", acmeEabKid: "kid-1" })).toMatchObject({ acmeEabKid: "kid-1", acmeEabHmac: null });
  });

  test("the HMAC of an external account binding is base64url or base64, padded or not", () => {
    const eab = (acmeEabHmac: string) => load({ tls: "acme", acmeEabKid: "kid-1", acmeEabHmac });
    expect(eab("c2Vj-_V0LQ==")).toMatchObject({ acmeEabKid: "kid-1", acmeEabHmac: "c2Vj-_V0LQ" });
    expect(eab("c2Vj+/V0LQ==").acmeEabHmac).toBe("c2Vj-_V0LQ");
    for (const other of ["c2Vj*mV0", "c2Vj mV0", "c2Vjm", "=="]) {
      expect(() => eab(other)).toThrow("--acme-eab-hmac: the value is not usable; give the key in base64url or base64");
    }
  });

  test("a file of address ranges may contain comments", async () => {
    await Bun.write(join(folder, "ranges.txt"), "# the edge\n192.0.2.0/24\n2001:db8::/32 # six\n");
    expect(load({ proxyRanges: join(folder, "ranges.txt") }).proxyRanges).toEqual(["192.0.2.0/24", "2001:db8::/32"]);
  });

  test("a missing file of address ranges stops only commands that need it", async () => {
    const configFile = join(folder, "moved.toml");
    await Bun.write(configFile, 'proxy-ranges = "ranges-elsewhere.txt"\nmax-files = 7');
    expect(() => loadConfig({ configFile })).toThrow("proxy-ranges");
    expect(loadDataFolderConfig({ configFile })).toMatchObject({ proxyRanges: null, maxFiles: 7 });
    await Bun.write(configFile, 'max-files = "x"');
    expect(() => loadDataFolderConfig({ configFile })).toThrow("max-files");
  });

  test("TOML's numbers, booleans and lists are equivalent to text", async () => {
    const config = await loadFile(
      'max-files = 7\ndomains = true\nworkers = 2\ndns_resolvers = ["9.9.9.9", "[::1]:54"]\nprobe-ports = [81, 444]',
    );
    expect(config).toMatchObject({
      maxFiles: 7,
      domains: true,
      workers: 2,
      dnsResolvers: [
        { address: "9.9.9.9", port: 53 },
        { address: "::1", port: 54 },
      ],
      probePorts: { http: 81, https: 444 },
    });
  });
});

describe("precedence", () => {
  test("flag beats variable beats file beats default", async () => {
    const toml = 'log = "json"';
    const env = { VITRINE_LOG: "off" };
    expect(load().log).toBe("text");
    expect((await loadFile(toml)).log).toBe("json");
    expect((await loadFile(toml, { env })).log).toBe("off");
    expect((await loadFile(toml, { env, flags: { log: "text" } })).log).toBe("text");
  });

  test("an empty variable counts as not set, and an empty text in the file is invalid", async () => {
    expect(load({}, { VITRINE_LOG: "", VITRINE_TLS: " " })).toMatchObject({ log: "text", tls: "off" });
    await expect(loadFile('log = ""')).rejects.toThrow(/settings\.toml: log: "" is not usable/);
  });

  test("vitrine.toml in the data folder is read by default", async () => {
    const dataDir = join(folder, "with-file");
    await Bun.write(
      join(dataDir, "vitrine.toml"),
      'log = "json"\ntls = "manual"\ntls-cert = "a.pem"\ntls_key = "/k.pem"',
    );
    const config = loadConfig({ flags: {}, env: { VITRINE_DATA_DIR: dataDir } });
    expect(config).toMatchObject({ log: "json", tlsCert: join(dataDir, "a.pem"), tlsKey: "/k.pem" });
  });

  test("another settings file can name the data folder, and flags take precedence over vitrine.toml in it", async () => {
    const dataDir = join(folder, "moving");
    await Bun.write(join(dataDir, "vitrine.toml"), 'data-dir = "/elsewhere"');
    // As for a backup, or a restored data folder.
    expect(loadConfig({ flags: { dataDir }, env: {} }).dataDir).toBe(dataDir);
    expect((await loadFile('data-dir = "there"', { flags: {} })).dataDir).toBe(join(folder, "there"));
  });

  test("VITRINE_CONFIG names the file as --config does", async () => {
    await Bun.write(join(folder, "named.toml"), 'log = "off"');
    expect(load({}, { VITRINE_CONFIG: join(folder, "named.toml") }).log).toBe("off");
  });
});

describe("refused are", () => {
  test.each([
    ['lissten = ":80"', "lissten is not a setting; did you mean listen?"],
    ["nonsense = 1", "nonsense is not a setting; vitrine help serve lists them"],
    ['[tls]\nmode = "acme"', "tls must be text, a number, true or false, or a list"],
    ['base-url = "http://a.test"\nbase_url = "http://b.test"', "base-url is there twice"],
    ["log = ", "not a TOML file"],
  ])("the file %p", async (toml, message) => {
    const error = await loadFile(toml).catch((caught: Error) => caught);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).toContain("settings.toml");
    expect((error as Error).message).not.toContain("\n");
  });

  test("a given file that does not exist", () => {
    expect(() => loadConfig({ flags: {}, env: {}, configFile: join(folder, "absent.toml") })).toThrow("absent.toml");
  });

  test.each([
    [{ tls: "manual" }, "--tls-cert is needed"],
    [{ tls: "manual", tlsCert: "c.pem" }, "--tls-key is needed"],
    [{ provider: "oidc" }, "--provider-url is needed"],
    [{ provider: "github" }, "--provider-client-id is needed"],
    [{ baseUrl: "http://203.0.113.7" }, "--sites-domain is needed"],
  ])("%p without what it needs", (flags, message) => {
    expect(() => load(flags)).toThrow(message);
  });
});

describe("content in S3", () => {
  const s3 = { content: "s3://sites/a", s3AccessKeyId: "id", s3SecretAccessKey: "key" };

  test("has a bucket, and a cache of 10 GiB", () => {
    expect(load(s3)).toMatchObject({ content: { bucket: "sites", prefix: "a/" }, contentCache: 10 * 1024 ** 3 });
  });

  test.each([
    [{ content: "s3://sites" }, "VITRINE_S3_ACCESS_KEY_ID is needed for --content"],
    [{ ...s3, s3SecretAccessKey: undefined }, "VITRINE_S3_SECRET_ACCESS_KEY is needed for --content"],
    [{ ...s3, content: "/srv/content" }, "give a URL such as s3://"],
    [{ ...s3, contentCache: "none" }, "--content-cache"],
    [{ ...s3, backupTo: "s3://sites" }, "--content and --backup-to contain each other"],
    [{ ...s3, backupTo: "s3://sites/a/backups" }, "--content and --backup-to contain each other"],
  ])("%p is refused", (flags, message) => {
    expect(() => load(flags)).toThrow(message);
  });

  test("may share a bucket with backups", () => {
    expect(load({ ...s3, backupTo: "s3://sites/backups" }).backupTo).toMatchObject({ prefix: "backups/" });
  });
});

describe("backups", () => {
  const s3 = { backupTo: "s3://backups", s3AccessKeyId: "id", s3SecretAccessKey: "key" };

  test("are made daily if they have their own destination, and on request otherwise", () => {
    expect(load()).toMatchObject({ backupTo: null, backupEvery: null, backupKeep: 14 });
    const path = join(folder, "backups");
    expect(load({ backupTo: path })).toMatchObject({ backupTo: { kind: "folder", path }, backupEvery: 86_400_000 });
    expect(load({ backupTo: path, backupEvery: "off" }).backupEvery).toBeNull();
    expect(load({ backupEvery: "1m" }).backupEvery).toBe(60_000);
  });

  test.each([
    [{ backupTo: "s3://backups" }, "VITRINE_S3_ACCESS_KEY_ID is needed for --backup-to"],
    [{ ...s3, s3SecretAccessKey: undefined }, "VITRINE_S3_SECRET_ACCESS_KEY is needed for --backup-to"],
    [{ backupTo: "s3://id:key@backups" }, "--backup-to"],
    [{ backupEvery: "59s" }, "--backup-every"],
    [{ backupKeep: "0" }, "--backup-keep"],
    [{ operatorWebhook: "https://a.example/" }, "VITRINE_OPERATOR_WEBHOOK_SECRET is needed for --operator-webhook"],
    [{ operatorWebhookSecret: "not base64!" }, "--operator-webhook-secret"],
  ])("%p is refused", (flags, message) => {
    expect(() => load(flags)).toThrow(message);
  });

  test("in S3 are read by commands without the keys that only the service may have", () => {
    const config = loadDataFolderConfig({ flags: { dataDir: folder, backupTo: "s3://backups" }, env: {} });
    expect(config.backupTo).toMatchObject({ bucket: "backups" });
    expect(load(s3)).toMatchObject({ s3AccessKeyId: "id", s3SecretAccessKey: "key" });
  });

  test("of the database take the password from its own setting, unless the URL has one", () => {
    const url = "postgres://ada@one,two:5433/pages?sslmode=require";
    expect(load({ database: url, databasePassword: "apart" }).database).toMatchObject({ password: "apart" });
    expect(databaseAt(url, load({ databasePassword: "apart" }))).toMatchObject({ password: "apart" });
    const within = url.replace("@", ":within@");
    const config = load({ database: within, databasePassword: "apart", isolatedFor: "0" });
    expect([config.database?.password, config.isolatedFor]).toEqual(["within", 0]);
    const shown = "postgres://ada@one:5432,two:5433/pages?sslmode=require";
    expect(config.inForce.find(({ name }) => name === "database")?.value).toBe(shown);
    expect(settingsAsVariables(config)).toMatchObject({
      VITRINE_DATABASE: shown,
      VITRINE_DATABASE_PASSWORD: "within",
    });
    expect(() => load({ database: within.replace("postgres:", "mysql:") })).toThrow(
      /^--database: the value is not us.*URL such/,
    );
    expect(() => load({ database: within.replace("postgres:", "mysql:") })).not.toThrow("within");
  });

  test("use the prefix of webhook secrets for the operator's webhook, too", () => {
    const config = load({ operatorWebhookSecret: "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0" });
    expect(config.operatorWebhookSecret).toBe("whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0");
  });
});

describe("defaults", () => {
  // docs/reference.md has all others, and is compared with the table.
  test("that follow the machine or other settings, or have a list, match a laptop", () => {
    expect(load()).toMatchObject({
      dataDir: folder,
      database: null,
      content: null,
      nodeName: hostname(),
      workers: availableParallelism(),
      listen: { host: "127.0.0.1", port: 8080 },
      httpListen: null,
      baseUrl: "http://localhost:8080",
      sitesDomain: "localhost",
      drainDelay: null,
      domains: false,
      dnsResolvers: [],
      proxyRanges: null,
      providerUrl: null,
      backupTo: null,
      backupEvery: null,
      settingsFile: null,
      acmeDirectory: "https://acme-v02.api.letsencrypt.org/directory",
      ciIssuers: ["https://token.actions.githubusercontent.com", "https://gitlab.com"],
      mcpRedirects: [
        "https://claude.ai/api/mcp/auth_callback",
        "https://claude.com/api/mcp/auth_callback",
        "https://chatgpt.com/connector_platform_oauth_redirect",
        "https://chatgpt.com/connector/oauth/*",
      ],
    });
  });

  test("are empty where none is shown", () => {
    const shown = Object.entries(SETTINGS).filter(([, { defaultText }]) => defaultText === "none");
    const values = load();
    for (const [name] of shown) expect([name, values[name as keyof Config] ?? []]).toEqual([name, []]);
  });

  test("each effective setting has its source, and no secret", async () => {
    const toml = `log = "json"\nprovider-client-secret = "hidden"`;
    const { inForce } = await loadFile(toml, { flags: { workers: "3" }, env: { VITRINE_SIGNUP: "open" } });
    const found = (name: string) => inForce.find((setting) => setting.name === name);
    expect(found("workers")).toMatchObject({ value: "3", source: "flag", secret: false });
    expect(found("signup")).toMatchObject({ value: "open", default: "closed", source: "variable" });
    expect(found("log")).toMatchObject({ value: "json", default: "text", source: "file" });
    expect(found("http2")).toMatchObject({ value: "on", default: "on", source: "default" });
    expect(found("acme-email")).toMatchObject({ value: null, source: "default" });
    expect(found("provider-client-secret")).toMatchObject({ value: "set", source: "file", secret: true });
    expect(found("acme-eab-hmac")).toMatchObject({ value: null, secret: true });
  });

  test("the data folder is vitrine-data below the working folder", () => {
    expect(loadConfig({ env: { VITRINE_LOG: "off" } }).dataDir).toBe(resolve("vitrine-data"));
  });

  test.each([
    [{ listen: "0.0.0.0:9000" }, { baseUrl: "http://localhost:9000" }],
    [{ listen: ":80" }, { baseUrl: "http://localhost" }],
    [{ tls: "internal" }, { listen: { host: null, port: 443 }, httpListen: null, baseUrl: "https://localhost" }],
    [{ tls: "acme" }, { listen: { host: null, port: 443 }, httpListen: { host: null, port: 80 } }],
    [{ baseUrl: "https://pages.example.org:8443" }, { sitesDomain: "pages.example.org" }],
    [{ baseUrl: "https://pages.example.org." }, { sitesDomain: "pages.example.org" }],
    [{ baseUrl: "http://127.0.0.1:8080" }, { sitesDomain: "localhost" }],
    [{ baseUrl: "http://[::1]:8080" }, { sitesDomain: "localhost" }],
    [{ routingTargets: "A:203.0.113.7" }, { domains: true }],
    [{ routingTargets: "A:203.0.113.7", domains: "off" }, { domains: false }],
    [{ provider: "github", providerClientId: "id" }, { providerUrl: "https://github.com" }],
  ])("%p leads to %p", (flags, expected) => {
    expect(load(flags)).toMatchObject(expected as Partial<Config>);
  });

  test("a port that the system chose becomes part of the default base URL", () => {
    expect(withListenPort(load({ listen: "127.0.0.1:0" }), 4711)).toMatchObject({
      listen: { host: "127.0.0.1", port: 4711 },
      baseUrl: "http://localhost:4711",
    });
    const named = load({ listen: "127.0.0.1:0", baseUrl: "https://pages.example.org" });
    expect(withListenPort(named, 4711).baseUrl).toBe("https://pages.example.org");
  });
});

describe("the table", () => {
  test("each default that is shown as text is accepted as that value", () => {
    const rows = Object.values(SETTINGS).flatMap(({ flag, parse, default: standard, defaultText }) => {
      const [, text] = /^`([^`]+)`$/.exec(defaultText) ?? [];
      return text === undefined || typeof standard === "function" ? [] : [[flag, parse(text, ""), standard]];
    });
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.map(([flag, parsed]) => [flag, parsed])).toEqual(rows.map(([flag, , standard]) => [flag, standard]));
  });

  test("each default in force is shown as the settings file takes it", () => {
    const { inForce, ...values } = load({ provider: "github", providerClientId: "id", nodeName: "a" });
    const shown = inForce.filter(({ value, source }) => value !== null && source === "default");
    const rows = Object.entries(SETTINGS).flatMap(([name, { flag, parse }]) => {
      const { value } = shown.find((setting) => setting.name === flag) ?? {};
      return value == null ? [] : [[flag, parse(value, ""), values[name as keyof typeof values]]];
    });
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.map(([flag, parsed]) => [flag, parsed])).toEqual(rows.map(([flag, , value]) => [flag, value]));
    const textOf = (flag: string) => inForce.find(({ name }) => name === flag)?.value;
    expect([textOf("hsts"), textOf("max-file-bytes"), textOf("max-user-bytes")]).toEqual(["365d", "256MiB", "off"]);
  });

  test("the configuration is frozen", () => {
    expect(Object.isFrozen(load())).toBe(true);
  });
});

describe("unknown variables", () => {
  test.each([
    ["VITRINE_LISTNE", "VITRINE_LISTEN"],
    ["VITRINE_DATADIR", "VITRINE_DATA_DIR"],
    ["VITRINE_PORT", undefined],
  ])("%s stops nothing, and is reported with the nearest name: %p", (name, meant) => {
    const env = { [name]: "tcp://10.0.0.1:80" };
    expect(load({}, env).listen.port).toBe(8080);
    expect(unknownVariables(env)).toEqual([{ name, meant }]);
  });

  test("exclude the client's own, empty ones, and those of other programs", () => {
    const known = { VITRINE_TOKEN: "t", VITRINE_SERVER: "s", VITRINE_CONFIG: "c", VITRINE_DEBUG: "1" };
    expect(unknownVariables({ ...known, VITRINE_TLS: "off", VITRINE_LISTNE: "", LISTEN: ":80" })).toEqual([]);
  });
});
