import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Subprocess, YAML } from "bun";

// Starts web servers with the configurations that the documentation shows and the repository has. Only ports, addresses
// and certificate files differ.

const ROOT = join(import.meta.dir, "..", "..", "..");

/** The base host of all configurations. */
export const BASE = "pages.example.org";

/** What differs from the documentation. */
interface Front {
  /** An empty folder for the web server's own files. */
  readonly home: string;
  readonly certificate: string;
  readonly key: string;
  /** The port for HTTPS on 127.0.0.1. */
  readonly port: number;
  /** The addresses of Vitrine, such as `127.0.0.1:8080`. */
  readonly back: readonly string[];
}

/** Starts nginx as in docs/operating.md. End it with SIGTERM: SIGKILL would leave its worker behind. */
export function startNginx({ home, certificate, key, port, back }: Front): Subprocess {
  const server = adapted(guide("nginx"), [
    [
      /server 127\.0\.0\.1:8080(.*);/,
      (_line, options) => back.map((address) => `server ${address}${options};`).join(" "),
    ],
    ["listen 443", `listen 127.0.0.1:${port}`],
    ["/etc/ssl/pages.pem", `"${certificate}"`],
    ["/etc/ssl/pages.key", `"${key}"`],
  ]);
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path "${home}/${name}";`,
  );
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const around = `${user} daemon off; pid "${home}/pid"; events {} http { access_log off; ${places.join(" ")}\n`;
  mkdirSync(home);
  writeFileSync(join(home, "nginx.conf"), `${around}${server}}\n`);
  return Bun.spawn(["nginx", "-p", home, "-c", join(home, "nginx.conf"), "-e", join(home, "error.log")]);
}

/** Starts Caddy as in docs/operating.md. */
export function startCaddy(front: Front): Subprocess {
  return runCaddy(front, guide("Caddy"), [
    [/tls \{.*?\n {2}\}/s, `tls "${front.certificate}" "${front.key}"`],
    ["127.0.0.1:8080", front.back.join(" ")],
  ]);
}

/** Starts Caddy as in compose.proxy.yaml. */
export function startCaddyOfCompose(front: Front): Subprocess {
  const file = YAML.parse(readFileSync(join(ROOT, "compose.proxy.yaml"), "utf8")) as {
    readonly configs: { readonly caddyfile: { readonly content: string } };
  };
  return runCaddy(front, file.configs.caddyfile.content, [
    ["/certificates/pages.pem /certificates/pages.key", `"${front.certificate}" "${front.key}"`],
    ["vitrine:8080", front.back.join(" ")],
  ]);
}

/** Starts HAProxy with haproxy.cfg, which docs/several-nodes.md shows. */
export function startHaproxy({ home, certificate, key, port, back }: Front): Subprocess {
  let next = 0;
  const configuration = adapted(readFileSync(join(ROOT, "haproxy.cfg"), "utf8"), [
    [/^ {2}bind :80\n/m, ""],
    ["bind :443", `bind 127.0.0.1:${port}`],
    ["/certificates/pages.pem", `"${home}/pages.pem"`],
    [/(?<=^ {2}server \w+ )\S+$/gm, () => back[next++ % back.length] as string],
  ]);
  mkdirSync(home);
  writeFileSync(join(home, "pages.pem"), readFileSync(certificate, "utf8") + readFileSync(key, "utf8"));
  writeFileSync(join(home, "haproxy.cfg"), configuration);
  return Bun.spawn(["haproxy", "-db", "-f", join(home, "haproxy.cfg")], { stdout: "ignore", stderr: "ignore" });
}

type Change = readonly [from: string | RegExp, to: string | ((match: string, ...groups: string[]) => string)];

/** Replaces what depends on the machine. Throws if the configuration has another form. */
export function adapted(configuration: string, changes: readonly Change[]): string {
  return changes.reduce((text, [from, to]) => {
    const replaced = text.replace(from, to as string);
    if (replaced === text) throw new Error(`the configuration has no ${from}`);
    return replaced;
  }, configuration);
}

// --- internal ---

function runCaddy({ home, port }: Front, site: string, changes: readonly Change[]): Subprocess {
  const settings = ["admin off", `https_port ${port}`, "auto_https disable_redirects", "default_bind 127.0.0.1"];
  mkdirSync(home);
  writeFileSync(join(home, "Caddyfile"), `{\n${settings.join("\n")}\n}\n${adapted(site, changes)}`);
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  return Bun.spawn(["caddy", "run", "--config", join(home, "Caddyfile")], { env, stderr: "ignore" });
}

/** Returns the first code block after a heading of docs/operating.md. */
function guide(heading: string): string {
  const text = readFileSync(join(ROOT, "docs", "operating.md"), "utf8");
  const [, block] = new RegExp(`\\*\\*${heading}\\*\\*\\n\\n\`\`\`\\w*\\n(.*?)\`\`\``, "s").exec(text) ?? [];
  if (!block) throw new Error(`the guide has nothing about ${heading}`);
  return block;
}
