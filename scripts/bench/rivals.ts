import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../src/testing/free-port.ts";
import { processorTimeOf, responds } from "./test-server.ts";

/** The location of files and certificate for the servers that are compared. */
export interface RivalFolders {
  /** Contains `sites/<name>/`, one folder for each site. */
  readonly root: string;
  readonly certificate: string;
  readonly key: string;
}

/** Another web server that serves the same files. */
export interface Rival {
  readonly name: string;
  readonly port: number;
  readonly tlsPort: number;
  /** The port with an access log; null if the server has none. */
  readonly loggedPort: number | null;
  /** The CPU seconds used so far. */
  processorTime(): number;
  stop(): Promise<void>;
}

/**
 * Starts nginx with the settings that its manual recommends for speed: open_file_cache, sendfile, an access log on one
 * port.
 */
export async function startNginx({ root, certificate, key }: RivalFolders, cpu: string, workers = 1): Promise<Rival> {
  const folder = join(root, `nginx-${workers}`);
  mkdirSync(folder, { recursive: true });
  const [port, tlsPort, loggedPort] = [freePort(), freePort(), freePort()];
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const server = (listen: string) => `server {
    ${listen}
    http2_max_concurrent_streams 128; ssl_certificate ${certificate}; ssl_certificate_key ${key};
    server_name ~^(?<site>[^.]+)[.]localhost$;
    root ${root}/sites/$site; index index.html;
    add_header X-Content-Type-Options nosniff; add_header Referrer-Policy strict-origin-when-cross-origin;
    add_header Cache-Control "public, max-age=0, must-revalidate";
  }`;
  const descriptors = Math.min(200_000, hardLimitOfDescriptors());
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes ${workers}; error_log ${folder}/error.log; pid ${folder}/pid;
worker_rlimit_nofile ${descriptors};
events { worker_connections 4096; }
http {
  include /etc/nginx/mime.types; default_type application/octet-stream; ${temporary.join(" ")}
  sendfile on; tcp_nopush on; keepalive_requests 1000000000; keepalive_timeout 60;
  open_file_cache max=${Math.floor(descriptors * 0.75)} inactive=600s; open_file_cache_valid 600s; open_file_cache_min_uses 1;
  gzip_static on; gzip_vary on; ssl_session_cache shared:tls:10m;
  ${server(`listen 127.0.0.1:${port}; listen 127.0.0.1:${tlsPort} ssl http2; access_log off;`)}
  ${server(`listen 127.0.0.1:${loggedPort}; access_log ${folder}/access.log combined buffer=64k flush=1s;`)}
}
`,
  );
  return start("nginx", cpu, ["nginx", "-e", `${folder}/error.log`, "-c", `${folder}/nginx.conf`], {
    port,
    tlsPort,
    loggedPort,
  });
}

/**
 * Returns the hard limit of open files. nginx keeps cached files open, and responds with 500 when it may open no more.
 */
function hardLimitOfDescriptors(): number {
  const [, hard] = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return Number(hard);
}

/**
 * Starts h2o with one thread. It has no variables for folders, so each host needs an entry. Other hosts get the first
 * one.
 */
export async function startH2o(
  { root, certificate, key }: RivalFolders,
  cpu: string,
  sites: readonly string[],
): Promise<Rival> {
  const folder = join(root, "h2o");
  mkdirSync(folder, { recursive: true });
  const [port, tlsPort] = [freePort(), freePort()];
  const hosts = sites.map(
    (site) => `  "${site}.localhost:${port}":
    paths: { "/": { file.dir: "${root}/sites/${site}", file.send-compressed: ON } }`,
  );
  writeFileSync(
    join(folder, "h2o.conf"),
    `num-threads: 1
error-log: ${folder}/error.log
http2-max-concurrent-requests-per-connection: 128
listen: { host: 127.0.0.1, port: ${port} }
listen: { host: 127.0.0.1, port: ${tlsPort}, ssl: { certificate-file: ${certificate}, key-file: ${key} } }
header.add: "X-Content-Type-Options: nosniff"
header.add: "Referrer-Policy: strict-origin-when-cross-origin"
header.add: "Cache-Control: public, max-age=0, must-revalidate"
hosts:
${hosts.join("\n")}
`,
  );
  return start("h2o", cpu, ["h2o", "-m", "worker", "-c", `${folder}/h2o.conf`], { port, tlsPort, loggedPort: null });
}

export const BARE_BUN = "bare Bun";

/** Starts a bare `Bun.serve` with the page of the site `bench`. It responds with it at every path. */
export async function startBareBun({ root, certificate, key }: RivalFolders, cpu: string): Promise<Rival> {
  const [port, tlsPort] = [freePort(), freePort()];
  const page = join(root, "sites", "bench", "index.html");
  const script = join(import.meta.dir, "bare-server.ts");
  const command = [process.execPath, script, page, `${port}`, `${tlsPort}`, certificate, key];
  return start(BARE_BUN, cpu, command, { port, tlsPort, loggedPort: null });
}

// --- internal ---

async function start(
  name: string,
  cpu: string,
  command: string[],
  ports: Pick<Rival, "port" | "tlsPort" | "loggedPort">,
): Promise<Rival> {
  const server = Bun.spawn(["taskset", "-c", cpu, ...command], { stdio: ["ignore", "ignore", "inherit"] });
  await responds(`http://bench.localhost:${ports.port}/`);
  return {
    name,
    ...ports,
    processorTime: () => processorTimeOf(server.pid),
    async stop() {
      server.kill("SIGTERM");
      await server.exited;
    },
  };
}
