import type { DeploymentOrigin } from "../../domain/deployments/deployment.ts";
import { type ApiClient, accept, reach, readAnswer } from "../client/client.ts";
import type { DeployResult } from "../client/types.ts";
import { coalesce } from "./coalesce.ts";

export interface UploadRequest {
  readonly content: AsyncIterable<Uint8Array>;
  /** Null lets the server make a name. */
  readonly site: string | null;
  readonly private: boolean;
  readonly origin: DeploymentOrigin;
  /** Makes no deployment where all files are those of the site's active one. */
  readonly onlyIfChanged: boolean;
}

/**
 * Sends an archive as POST /deploy. The content is streamed, at the pace of the network: an upload of any size costs a
 * few chunks of memory. The server may answer in the middle, when a limit is passed; that answer counts. What the
 * content throws is rejected with as it is.
 */
export async function upload(client: ApiClient, request: UploadRequest): Promise<DeployResult> {
  const boundary = `vitrine-${crypto.randomUUID()}`;
  const body = streamOf(coalesce(multipart(boundary, request.content)));
  const response = await reach(client.server, () =>
    fetch(`${client.server}/deploy`, {
      method: "POST",
      headers: {
        ...client.headers(),
        ...headersFor(request),
        "Content-Type": `multipart/form-data; boundary=${boundary}`,
      },
      body,
      redirect: "manual",
      // Bun's own time limit counts the whole upload; a slow line may take as long as it takes.
      timeout: false,
    } as RequestInit),
  );
  return readAnswer<DeployResult>(client.server, await accept(client.server, response));
}

function headersFor({ site, private: isPrivate, origin, onlyIfChanged }: UploadRequest): Record<string, string> {
  const headers = {
    "X-Service-Site": site,
    "X-Service-Access": isPrivate ? "private" : null,
    "X-Service-If-Changed": onlyIfChanged ? "yes" : null,
    "X-Service-Message": encoded(origin.message),
    "X-Service-Commit": encoded(origin.commit),
    "X-Service-Ref": encoded(origin.ref),
  };
  return Object.fromEntries(Object.entries(headers).filter((header): header is [string, string] => header[1] !== null));
}

function encoded(text: string | null): string | null {
  return text === null ? null : encodeURIComponent(text);
}

async function* multipart(boundary: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const text = new TextEncoder();
  yield text.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="site.zip"\r\n` +
      "Content-Type: application/zip\r\n\r\n",
  );
  yield* content;
  yield text.encode(`\r\n--${boundary}--\r\n`);
}

/** A stream that pulls from the iterable only when the connection takes more, and lets go of it when it is cancelled. */
function streamOf(content: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await content.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await content.return(undefined);
    },
  });
}
