import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";

interface Server {
  readonly port: number;
  readonly dataDir: string;
  readonly token: string;
}

/**
 * Starts a deployment of the site `drained` over a socket, and withholds the second half of the archive. Resolves when
 * the server is writing it to its data folder: a connection that was not accepted yet is reset when the server stops.
 */
export async function halfAnUpload({ port, dataDir, token }: Server, archive: Uint8Array) {
  const body = Buffer.concat([
    Buffer.from('--part\r\nContent-Disposition: form-data; name="file"; filename="site.zip"\r\n\r\n'),
    archive,
    Buffer.from("\r\n--part--\r\n"),
  ]);
  const socket = connect(port, "127.0.0.1");
  const head = [
    "POST /deploy HTTP/1.1",
    `Host: localhost:${port}`,
    `Authorization: Bearer ${token}`,
    "X-Service-Site: drained",
    "Content-Type: multipart/form-data; boundary=part",
    `Content-Length: ${body.length}`,
  ];
  const half = Math.floor(body.length / 2);
  await written(socket, `${head.join("\r\n")}\r\n\r\n`);
  await written(socket, body.subarray(0, half));
  const response = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.on("close", () => resolve(text));
    socket.on("error", (error) => resolve(String(error)));
  });
  while (readdirSync(join(dataDir, "spool")).length === 0) await Bun.sleep(5);
  return { finish: () => written(socket, body.subarray(half)), response };
}

function written(socket: Socket, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => socket.write(data, () => resolve()));
}
