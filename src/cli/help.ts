import type { Command } from "commander";
import type { Terminal } from "./terminal/terminal.ts";

/** What the help of a command says below its options. */
interface MoreHelp {
  readonly note?: string;
  readonly examples: readonly [string, string, string];
}

/** Adds note and examples to a command's help, as wide as the terminal. `path` is its words, such as `users add`. */
export function addMoreHelp(command: Command, path: string, terminal: Terminal): void {
  const more = HELP[path];
  if (!more) return;
  const width = helpWidth(terminal);
  const note = more.note ? `\n${Bun.wrapAnsi(more.note, width)}\n` : "";
  const examples = more.examples.map((example) => `  ${example}`);
  command.addHelpText("after", `${note}\nExamples:\n${examples.join("\n")}`);
}

/** How wide help is written; a pipe gets it as a terminal of the usual width. */
export function helpWidth({ dataColumns }: Pick<Terminal, "dataColumns">): number {
  return Math.min(dataColumns ?? 80, 120);
}

/** By a command's words; the program itself is "". `help.test.ts` holds that each command has its row, and can read it. */
export const HELP: Readonly<Record<string, MoreHelp>> = {
  "": {
    examples: ["vitrine serve", "vitrine login --server https://pages.example.org", "vitrine deploy dist --site hello"],
  },

  serve: {
    note: "Each setting is also an environment variable (--base-url: VITRINE_BASE_URL) and a key in vitrine.toml (base-url). A flag overrides the variable, which overrides the file, which overrides the default.",
    examples: [
      "vitrine serve",
      "vitrine serve --data-dir /srv/vitrine --listen :8080",
      "vitrine serve --base-url https://pages.example.org --tls acme",
    ],
  },
  users: {
    examples: ["vitrine users add ada --name 'Ada Lovelace'", "vitrine users list", "vitrine users passwd ada"],
  },
  "users add": {
    note: "On a terminal, the command asks for a password. Without one and without --password-stdin, the user has no password until users passwd sets one.",
    examples: [
      "vitrine users add ada",
      "vitrine users add ada --name 'Ada Lovelace'",
      "vitrine users add ada --password-stdin < password.txt",
    ],
  },
  "users list": {
    examples: ["vitrine users list", "vitrine users list --long", "vitrine users list --json"],
  },
  "users passwd": {
    examples: [
      "vitrine users passwd ada",
      "vitrine users passwd ada --password-stdin < password.txt",
      "vitrine users passwd ada --data-dir /srv/vitrine",
    ],
  },
  "users remove": {
    note: "A user who owns sites is only removed together with them, by --with-sites.",
    examples: [
      "vitrine users remove ada",
      "vitrine users remove ada --with-sites",
      "vitrine users remove ada --data-dir /srv/vitrine",
    ],
  },
  "users limit": {
    note: "The size counts every kept deployment as it was uploaded: a file in two deployments counts twice. Nothing is deleted when a user is over a new limit; only further deployments are refused.",
    examples: [
      "vitrine users limit ada",
      "vitrine users limit ada --sites 50 --bytes 20GiB",
      "vitrine users limit ada --sites off --bytes default",
    ],
  },
  "users freeze": {
    note: "A frozen user cannot sign in, and their sites are frozen too. Nothing is deleted.",
    examples: [
      "vitrine users freeze ada",
      "vitrine users freeze ada --reason 'invoice 4711'",
      "vitrine users freeze ada --data-dir /srv/vitrine",
    ],
  },
  "users unfreeze": {
    note: "Sites that were frozen by themselves stay frozen.",
    examples: [
      "vitrine users unfreeze ada",
      "vitrine users unfreeze ada --data-dir /srv/vitrine",
      "vitrine users unfreeze ada --config /etc/vitrine/vitrine.toml",
    ],
  },
  "users operator": {
    note: "Operators have the console at /admin in the dashboard, and the API below /admin.",
    examples: [
      "vitrine users operator ada on",
      "vitrine users operator ada off",
      "vitrine users operator ada on --data-dir /srv/vitrine",
    ],
  },
  "users session": {
    note: "The token signs in as the user. It goes to stdout, everything else to stderr.",
    examples: [
      "vitrine users session ada",
      "vitrine users session ada --ttl 12h",
      "vitrine deploy dist --token $(vitrine users session ada)",
    ],
  },
  freeze: {
    note: "Visitors of a frozen site get a plain page with status 403, on all of its hostnames. Its owner can still view, download and delete it, but not change it. Nothing is deleted, and certificates are still renewed.",
    examples: [
      "vitrine freeze hello",
      "vitrine freeze hello --reason 'reported as phishing'",
      "vitrine freeze hello --data-dir /srv/vitrine",
    ],
  },
  unfreeze: {
    examples: [
      "vitrine unfreeze hello",
      "vitrine unfreeze hello --data-dir /srv/vitrine",
      "vitrine unfreeze hello --config /etc/vitrine/vitrine.toml",
    ],
  },
  backup: {
    note: "A path that ends with a slash is a folder. A file is a tar archive, compressed with zstd.",
    examples: [
      "vitrine backup /backups/vitrine.tar.zst",
      "vitrine backup /backups/vitrine.tar.zst --force",
      "vitrine backup /backups/vitrine/",
    ],
  },
  restore: {
    note: "The server must not run. Of scheduled backups, it takes the newest, or the one whose ID follows #. S3 needs VITRINE_S3_ACCESS_KEY_ID and VITRINE_S3_SECRET_ACCESS_KEY. With --replace, what the data folder held before is kept in a folder below it.",
    examples: [
      "vitrine restore /backups/vitrine.tar.zst",
      "vitrine restore /backups/vitrine#20261122T020000000Z --data-dir /srv/vitrine",
      "vitrine restore 's3://bucket/prefix?endpoint=https://s3.example.org' --replace",
    ],
  },
  verify: {
    examples: ["vitrine verify", "vitrine verify --data-dir /backups/vitrine", "vitrine verify --json"],
  },
  retention: {
    examples: [
      "vitrine retention show",
      "vitrine retention set hello --keep-last 20",
      "vitrine retention pin hello 12",
    ],
  },
  "retention show": {
    examples: ["vitrine retention show", "vitrine retention show hello", "vitrine retention show --json"],
  },
  "retention run": {
    examples: ["vitrine retention run", "vitrine retention run hello", "vitrine retention run --json"],
  },
  "retention set": {
    note: "A deployment stays if either rule keeps it. The active one, the one before it and pinned ones always stay.",
    examples: [
      "vitrine retention set hello --keep-last 20",
      "vitrine retention set hello --keep-last 5 --keep-days 90",
      "vitrine retention set hello --default",
    ],
  },
  "retention pin": {
    examples: [
      "vitrine retention pin hello 12",
      "vitrine retention pin hello 12 --data-dir /srv/vitrine",
      "vitrine retention pin hello 1 --config /etc/vitrine/vitrine.toml",
    ],
  },
  "retention unpin": {
    examples: [
      "vitrine retention unpin hello 12",
      "vitrine retention unpin hello 12 --data-dir /srv/vitrine",
      "vitrine retention unpin hello 1 --config /etc/vitrine/vitrine.toml",
    ],
  },
  audit: {
    examples: ["vitrine audit", "vitrine audit --site hello --limit 20", "vitrine audit --limit 1000 --json"],
  },
  doctor: {
    note: "Checks the data folder, disk, database, certificates, clock, server, ports, DNS and kernel, with the settings that serve reads from variables and vitrine.toml. The exit status is 1 when there is a problem; warnings leave it at 0.",
    examples: ["vitrine doctor", "vitrine doctor --config /etc/vitrine/vitrine.toml", "vitrine doctor --health"],
  },

  login: {
    note: "The credential is saved, readable by you alone. Later commands use it, and the server that you last signed in to. With --scope the credential may do no more than make previews (preview), or publish, on the sites that you name or choose in the browser.",
    examples: [
      "vitrine login --server https://pages.example.org",
      "vitrine login --scope 'preview site:hello'",
      "vitrine login --server https://pages.example.org --token vts_…",
    ],
  },
  logout: {
    examples: ["vitrine logout", "vitrine logout --server https://pages.example.org", "vitrine logout --token vts_…"],
  },
  whoami: {
    examples: ["vitrine whoami", "vitrine whoami --server https://pages.example.org", "vitrine whoami --json"],
  },
  passwd: {
    examples: [
      "vitrine passwd",
      "vitrine passwd --password-stdin < passwords.txt",
      "vitrine passwd --server https://pages.example.org",
    ],
  },
  limits: {
    examples: ["vitrine limits", "vitrine limits --long", "vitrine limits --json"],
  },
  deploy: {
    note: "vitrine.json remembers the site. A .vitrineignore file (gitignore syntax) in the folder excludes files. The URL goes to stdout, everything else to stderr.",
    examples: [
      "vitrine deploy dist --site hello",
      "vitrine deploy notes.zip --private",
      "vitrine deploy dist --preview --expires 14d",
    ],
  },
  open: {
    examples: ["vitrine open", "vitrine open hello", "vitrine open hello --no-browser"],
  },
  sites: {
    examples: ["vitrine sites list", "vitrine sites list --json", "vitrine sites delete hello"],
  },
  "sites list": {
    examples: ["vitrine sites list", "vitrine sites list --tag client", "vitrine sites list --json"],
  },
  "sites tag": {
    examples: [
      "vitrine sites tag hello client docs",
      "vitrine sites tag hello --clear",
      "vitrine sites tag hello client --json",
    ],
  },
  "sites delete": {
    note: "Without a terminal to ask at, the command needs --yes.",
    examples: [
      "vitrine sites delete hello",
      "vitrine sites delete hello --yes",
      "vitrine sites delete hello --server https://pages.example.org",
    ],
  },
  deployments: {
    examples: [
      "vitrine deployments list hello",
      "vitrine deployments activate hello 3",
      "vitrine deployments download hello 3 hello-3.zip",
    ],
  },
  aliases: {
    examples: [
      "vitrine aliases list hello",
      "vitrine aliases set hello staging 12",
      "vitrine aliases remove hello staging",
    ],
  },
  "aliases list": {
    examples: ["vitrine aliases list hello", "vitrine aliases list hello --long", "vitrine aliases list hello --json"],
  },
  "aliases set": {
    note: "An alias becomes a DNS label: lower case, with hyphens for all but a-z and 0-9.",
    examples: [
      "vitrine aliases set hello staging 12",
      "vitrine aliases set hello feature/login 12 --expires 14d",
      "vitrine aliases set hello staging 12 --json",
    ],
  },
  "aliases remove": {
    examples: [
      "vitrine aliases remove hello staging",
      "vitrine aliases remove hello feature/login",
      "vitrine aliases remove hello staging --server https://pages.example.org",
    ],
  },
  promote: {
    examples: [
      "vitrine promote hello staging",
      "vitrine promote hello feature/login",
      "vitrine promote hello pr-12 --json",
    ],
  },
  "deployments list": {
    examples: [
      "vitrine deployments list hello",
      "vitrine deployments list hello --limit 5 --before 12",
      "vitrine deployments list hello --long",
    ],
  },
  "deployments activate": {
    examples: [
      "vitrine deployments activate hello 3",
      "vitrine deployments activate hello 3 --json",
      "vitrine deployments activate hello 1 --token vtd_…",
    ],
  },
  "deployments download": {
    examples: [
      "vitrine deployments download hello 3 hello-3.zip",
      "vitrine deployments download hello 3 - > hello-3.zip",
      "vitrine deployments download hello 1 /tmp/first.zip",
    ],
  },
  "deployments keep": {
    note: "A deployment stays if either rule keeps it. The active one, the one before it and pinned ones always stay.",
    examples: [
      "vitrine deployments keep hello --keep-last 20",
      "vitrine deployments keep hello --keep-days 90 --dry-run",
      "vitrine deployments keep hello --default",
    ],
  },
  "deployments pin": {
    examples: [
      "vitrine deployments pin hello 12",
      "vitrine deployments pin hello 1",
      "vitrine deployments pin hello 12 --server https://pages.example.org",
    ],
  },
  "deployments unpin": {
    examples: [
      "vitrine deployments unpin hello 12",
      "vitrine deployments unpin hello 1",
      "vitrine deployments unpin hello 12 --server https://pages.example.org",
    ],
  },
  access: {
    examples: ["vitrine access show hello", "vitrine access private hello", "vitrine access public hello"],
  },
  "access show": {
    examples: [
      "vitrine access show hello",
      "vitrine access show hello --json",
      "vitrine access show hello --server https://pages.example.org",
    ],
  },
  "access private": {
    examples: [
      "vitrine access private hello",
      "vitrine access private hello --json",
      "vitrine access private hello --server https://pages.example.org",
    ],
  },
  "access public": {
    examples: [
      "vitrine access public hello",
      "vitrine access public hello --json",
      "vitrine access public hello --server https://pages.example.org",
    ],
  },
  readers: {
    examples: ["vitrine readers list hello", "vitrine readers add hello grace", "vitrine readers remove hello grace"],
  },
  "readers list": {
    examples: ["vitrine readers list hello", "vitrine readers list hello --long", "vitrine readers list hello --json"],
  },
  "readers add": {
    examples: [
      "vitrine readers add hello grace",
      "vitrine readers add hello grace --json",
      "vitrine readers add hello grace --server https://pages.example.org",
    ],
  },
  "readers remove": {
    examples: [
      "vitrine readers remove hello grace",
      "vitrine readers remove hello ada",
      "vitrine readers remove hello grace --server https://pages.example.org",
    ],
  },
  domains: {
    examples: [
      "vitrine domains add hello www.example.org",
      "vitrine domains check hello",
      "vitrine domains remove hello www.example.org",
    ],
  },
  "domains add": {
    note: "The TXT record to set goes to stdout, the further steps to stderr.",
    examples: [
      "vitrine domains add hello www.example.org",
      "vitrine domains add hello www.example.org --wait",
      "vitrine domains add hello www.example.org --json",
    ],
  },
  "domains list": {
    examples: ["vitrine domains list hello", "vitrine domains list hello --long", "vitrine domains list hello --all"],
  },
  "domains check": {
    examples: [
      "vitrine domains check hello",
      "vitrine domains check hello www.example.org",
      "vitrine domains check hello --json",
    ],
  },
  "domains retry": {
    examples: [
      "vitrine domains retry hello www.example.org",
      "vitrine domains retry hello www.example.org --json",
      "vitrine domains retry hello example.org",
    ],
  },
  "domains cancel": {
    examples: [
      "vitrine domains cancel hello www.example.org",
      "vitrine domains cancel hello www.example.org --json",
      "vitrine domains cancel hello example.org",
    ],
  },
  "domains remove": {
    examples: [
      "vitrine domains remove hello www.example.org",
      "vitrine domains remove hello example.org",
      "vitrine domains remove hello example.org --server https://pages.example.org",
    ],
  },
  tokens: {
    examples: [
      "vitrine tokens create hello --name CI",
      "vitrine tokens list",
      "vitrine tokens revoke 3f0c1d7e-8d6f-4f53-9df2-0a9b9a1f6f01",
    ],
  },
  "tokens create": {
    note: "A deployment token can deploy to its site, list its deployments and activate them, and nothing else. With --permission preview it cannot change which deployment is live.",
    examples: [
      "vitrine tokens create hello",
      "vitrine tokens create hello --name CI --expires-in 90d",
      "vitrine tokens create hello --name 'pull requests' --permission preview --json",
    ],
  },
  "tokens list": {
    examples: ["vitrine tokens list", "vitrine tokens list --long", "vitrine tokens list --json"],
  },
  "tokens revoke": {
    examples: [
      "vitrine tokens revoke 3f0c1d7e-8d6f-4f53-9df2-0a9b9a1f6f01",
      "vitrine tokens revoke 3f0c1d7e-8d6f-4f53-9df2-0a9b9a1f6f01 --token vts_…",
      "vitrine tokens revoke 3f0c1d7e-8d6f-4f53-9df2-0a9b9a1f6f01 --server https://pages.example.org",
    ],
  },
  publishers: {
    note: "In CI, vitrine deploy without a token exchanges the ID token of the run. The server keeps no secret of it.",
    examples: [
      "vitrine publishers add hello --github octo/blog --ref refs/heads/main",
      "vitrine publishers list hello",
      "vitrine publishers remove hello 5f0c1d2e3a4b5c6d7e8f",
    ],
  },
  "publishers add": {
    note: "A publisher that may publish needs --ref or --environment; otherwise, any branch could publish.",
    examples: [
      "vitrine publishers add hello --github octo/blog --environment production",
      "vitrine publishers add hello --gitlab group/blog --ref refs/heads/main --workflow .gitlab-ci.yml",
      "vitrine publishers add hello --forgejo octo/blog --issuer https://forgejo.example.org/api/actions --preview",
    ],
  },
  "publishers list": {
    examples: [
      "vitrine publishers list hello",
      "vitrine publishers list hello --long",
      "vitrine publishers list hello --json",
    ],
  },
  "publishers remove": {
    examples: [
      "vitrine publishers remove hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine publishers remove hello 5f0c1d2e3a4b5c6d7e8f --token vts_…",
      "vitrine publishers remove hello 5f0c1d2e3a4b5c6d7e8f --server https://pages.example.org",
    ],
  },
  shares: {
    examples: [
      "vitrine shares create hello --label 'The client'",
      "vitrine shares list hello",
      "vitrine shares revoke hello 7f0c1d2e3a4b5c6d7e8f",
    ],
  },
  "shares create": {
    note: "Without --alias and --deployment, the share opens the live site. Without --password and --automation, it is a link.",
    examples: [
      "vitrine shares create hello --label 'The client' --expires-in 14d",
      "vitrine shares create hello --alias pr-12 --password",
      "vitrine shares create hello --automation --json",
    ],
  },
  "shares list": {
    examples: ["vitrine shares list hello", "vitrine shares list hello --long", "vitrine shares list hello --json"],
  },
  "shares revoke": {
    examples: [
      "vitrine shares revoke hello 7f0c1d2e3a4b5c6d7e8f",
      "vitrine shares revoke hello 7f0c1d2e3a4b5c6d7e8f --token vts_…",
      "vitrine shares revoke hello 7f0c1d2e3a4b5c6d7e8f --server https://pages.example.org",
    ],
  },
  webhooks: {
    examples: [
      "vitrine webhooks add hello https://example.org/hook",
      "vitrine webhooks list hello",
      "vitrine webhooks test hello 5f0c1d2e3a4b5c6d7e8f",
    ],
  },
  "webhooks list": {
    examples: [
      "vitrine webhooks list hello",
      "vitrine webhooks list hello --long",
      "vitrine webhooks list hello --json",
    ],
  },
  "webhooks add": {
    examples: [
      "vitrine webhooks add hello https://example.org/hook",
      "vitrine webhooks add hello https://example.org/hook --json",
      "vitrine webhooks add hello https://example.org/hook --events deployment.published",
    ],
  },
  "webhooks change": {
    note: "What you do not give stays as it is.",
    examples: [
      "vitrine webhooks change hello 5f0c1d2e3a4b5c6d7e8f --url https://example.org/new",
      "vitrine webhooks change hello 5f0c1d2e3a4b5c6d7e8f --events all",
      "vitrine webhooks change hello 5f0c1d2e3a4b5c6d7e8f --events deployment.published,site.deleted",
    ],
  },
  "webhooks remove": {
    examples: [
      "vitrine webhooks remove hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks remove hello 9d2c4b1e7f0a48c6b5d3",
      "vitrine webhooks remove hello 5f0c1d2e3a4b5c6d7e8f --server https://pages.example.org",
    ],
  },
  "webhooks disable": {
    note: "Deliveries that wait are listed as failed; webhooks retry delivers them again.",
    examples: [
      "vitrine webhooks disable hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks disable hello 5f0c1d2e3a4b5c6d7e8f --json",
      "vitrine webhooks disable hello 5f0c1d2e3a4b5c6d7e8f --server https://pages.example.org",
    ],
  },
  "webhooks enable": {
    examples: [
      "vitrine webhooks enable hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks enable hello 5f0c1d2e3a4b5c6d7e8f --json",
      "vitrine webhooks enable hello 5f0c1d2e3a4b5c6d7e8f --server https://pages.example.org",
    ],
  },
  "webhooks rotate": {
    examples: [
      "vitrine webhooks rotate hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks rotate hello 5f0c1d2e3a4b5c6d7e8f --json",
      "vitrine webhooks rotate hello 5f0c1d2e3a4b5c6d7e8f > secret.txt",
    ],
  },
  "webhooks test": {
    examples: [
      "vitrine webhooks test hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks test hello 5f0c1d2e3a4b5c6d7e8f --json",
      "vitrine webhooks test hello 5f0c1d2e3a4b5c6d7e8f --server https://pages.example.org",
    ],
  },
  "webhooks deliveries": {
    examples: [
      "vitrine webhooks deliveries hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine webhooks deliveries hello 5f0c1d2e3a4b5c6d7e8f --limit 5",
      "vitrine webhooks deliveries hello 5f0c1d2e3a4b5c6d7e8f --before 120 --long",
    ],
  },
  "webhooks retry": {
    examples: [
      "vitrine webhooks retry hello 5f0c1d2e3a4b5c6d7e8f 118",
      "vitrine webhooks retry hello 5f0c1d2e3a4b5c6d7e8f 118 --json",
      "vitrine webhooks retry hello 5f0c1d2e3a4b5c6d7e8f 120",
    ],
  },
  activity: {
    examples: ["vitrine activity", "vitrine activity hello --limit 20", "vitrine activity hello --before 1200"],
  },
  explain: {
    examples: [
      "vitrine explain hello /about",
      "vitrine explain hello https://hello.pages.example.org/old?page=2",
      "vitrine explain hello / --deployment 3",
    ],
  },

  completion: {
    examples: [
      "echo 'source <(vitrine completion bash)' >> ~/.bashrc",
      "echo 'source <(vitrine completion zsh)' >> ~/.zshrc",
      "vitrine completion fish > ~/.config/fish/completions/vitrine.fish",
    ],
  },
  version: { examples: ["vitrine version", "vitrine version --json", "vitrine version --json > version.json"] },
  help: { examples: ["vitrine help", "vitrine help deploy", "vitrine help users add"] },
};
