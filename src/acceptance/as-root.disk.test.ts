import { expect } from "bun:test";
import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { selfSigned } from "../clients/http/testing/self-signed.ts";
import { makeDataFolder } from "../storage/data-folder/testing/make-data-folder.ts";
import { needing } from "../testing/needing.ts";
import { executable, scratchFolder } from "./testing/executable.ts";

const SERVICE = 65534;
const KEYS = 4242;

needing("disk", "another user").test(
  "root has the groups of the service's user, who owns the data folder",
  async () => {
    using folder = scratchFolder();
    chmodSync(folder.path, 0o777);
    const file = (name: string) => join(folder.path, name);
    await makeDataFolder(file("data"));
    await Bun.$`chown -R ${SERVICE}:${SERVICE} ${file("data")}`;
    const { cert, key } = await selfSigned("pages.localhost", "*.pages.localhost");
    writeFileSync(file("cert.pem"), cert);
    writeFileSync(file("key.pem"), key, { mode: 0o640 });
    chownSync(file("key.pem"), 0, KEYS);
    writeFileSync(file("group"), `root:x:0:\nkeys:x:${KEYS}:nobody\n`);
    const env = {
      ...process.env,
      VITRINE_BASE_URL: "https://pages.localhost",
      VITRINE_TLS: "manual",
      VITRINE_TLS_CERT: file("cert.pem"),
      VITRINE_TLS_KEY: file("key.pem"),
    };
    const script = 'mount --bind "$1" /etc/group && "$0" doctor --data-dir "$2"';
    const args = [await executable(), file("group"), file("data")];
    const doctor = await Bun.$`unshare --mount sh -c ${script} ${args}`.env(env).nothrow().quiet().text();
    expect(doctor).toContain(`certificate: ${file("cert.pem")} expires in`);
    expect(doctor).not.toContain("cannot be read by uid");
  },
);
