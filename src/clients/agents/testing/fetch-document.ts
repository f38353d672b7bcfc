import { guardedClient } from "../../http/guarded.ts";
import { fetchedClientDocuments } from "../client-documents.ts";

// A separate process, because trusted roots are read at its start. Fetches the document from this machine, whatever the
// name in its URL, and prints the client.
const resolve = async () => ["127.0.0.1"];
const guard = guardedClient({ allowPrivate: true, userAgent: "Vitrine", resolve, timeLimit: 30_000 });
const documents = fetchedClientDocuments(guard, { now: () => 0 });
process.stdout.write(JSON.stringify(await documents.fetch(process.argv[2] as string)));
