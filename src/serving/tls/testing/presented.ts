import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";

/** Returns the certificate that a server presents for a server name; null sends no name. */
export async function presented(port: number, servername: string | null): Promise<X509Certificate> {
  const named = servername === null ? {} : { servername };
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...named });
  await new Promise((ready, failed) => socket.once("secureConnect", ready).once("error", failed));
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return new X509Certificate(raw);
}
