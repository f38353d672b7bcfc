import { afterEach, describe, expect, test } from "bun:test";
import { AwsV4Signer } from "aws4fetch";
import { parseS3Url, type S3Destination } from "../../domain/backups/destination.ts";
import { s3Objects } from "./objects.ts";
import type { S3Options } from "./send.ts";

// Real servers are tested with the scheduled backups. These tests cover responses that cannot be provoked there.

const KEYS = { accessKeyId: "id", secretAccessKey: "key" };
const servers: Bun.Server<unknown>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

interface Requested {
  readonly method: string;
  readonly url: URL;
}

/** Serves the responses in order. The last one repeats. */
function answering(...responses: ((request: Request) => Response | Promise<Response>)[]) {
  const requests: Requested[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      // The request's properties cannot be read later.
      requests.push({ method: request.method, url: new URL(request.url) });
      return (responses[requests.length - 1] ?? responses.at(-1)!)(request);
    },
  });
  servers.push(server);
  return { requests, at: (style = "") => destination(`http://127.0.0.1:${server.port}`, style) };
}

function destination(endpoint: string, more = ""): S3Destination {
  return parseS3Url(`s3://backups/p?endpoint=${endpoint}${more}`) as S3Destination;
}

const failing =
  (status: number, code: string, more = "", headers: Record<string, string> = {}) =>
  () =>
    new Response(`<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>`, { status, headers });
const fine = () => new Response("content");

function read(at: S3Destination, options: S3Options = {}) {
  const objects = s3Objects(at, KEYS, { wait: async () => {}, ...options });
  return objects.read("a").then(async (chunks) => chunks && Buffer.concat(await Array.fromAsync(chunks)).toString());
}

test("requests are signed as documented by AWS", async () => {
  const signer = new AwsV4Signer({
    method: "GET",
    url: "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J",
    headers: { "X-Amz-Content-Sha256": new Bun.CryptoHasher("sha256").digest("hex") },
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    service: "s3",
    region: "us-east-1",
    datetime: "20130524T000000Z",
  });
  const { headers } = await signer.sign();
  const signature = "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7";
  expect(headers.get("authorization")).toEndWith(`Signature=${signature}`);
});

test("the bucket is part of the path or of the host", async () => {
  const { requests, at } = answering(fine);
  expect(await read(at())).toBe("content");
  expect(requests[0]?.url.pathname).toBe("/backups/p/a");
  // The name of the bucket is part of a host that does not resolve.
  await expect(read(destination("http://s3.invalid", "&style=virtual"))).rejects.toThrow(
    "at s3.invalid cannot be used",
  );
});

describe("a request to a server that fails temporarily is repeated", () => {
  test.each([
    ["an internal error", failing(500, "InternalError")],
    ["too many requests", failing(503, "SlowDown")],
    [
      "a lost connection",
      () => new Response(new ReadableStream({ start: (controller) => controller.error(new Error()) })),
    ],
  ])("after %s", async (_, response) => {
    const { requests, at } = answering(response, response, fine);
    expect(await read(at())).toBe("content");
    expect(requests).toHaveLength(3);
  });

  test("at most four times", async () => {
    const { requests, at } = answering(failing(500, "InternalError"));
    await expect(read(at())).rejects.toThrow("the server answered 500 InternalError");
    expect(requests).toHaveLength(4);
  });
});

describe("an error says what is wrong and what to do", () => {
  test.each([
    [failing(403, "InvalidAccessKeyId"), "the access key is unknown there: check VITRINE_S3_ACCESS_KEY_ID"],
    [failing(403, "SignatureDoesNotMatch"), "the secret key is wrong: check VITRINE_S3_SECRET_ACCESS_KEY"],
    [failing(403, "RequestTimeTooSkewed"), "the clock of this machine differs too much"],
    [failing(404, "NoSuchBucket"), "there is no such bucket: create backups"],
    [failing(403, "AccessDenied"), "allow it to list, read, write and delete objects"],
    [
      failing(301, "PermanentRedirect", "", { "x-amz-bucket-region": "eu-west-1" }),
      "it is in the region eu-west-1, not in us-east-1",
    ],
    [failing(400, "AuthorizationHeaderMalformed", "<Region>eu-west-2</Region>"), "it is in the region eu-west-2"],
    [failing(307, "TemporaryRedirect"), "another region or at another endpoint"],
    [() => new Response("<html>", { status: 418 }), "the server answered 418"],
  ])("%#: %s", async (response, message) => {
    const { requests, at } = answering(response);
    await expect(read(at())).rejects.toThrow(message);
    expect(requests).toHaveLength(1);
  });

  test("an unreachable server", async () => {
    await expect(read(destination("http://127.0.0.1:1"))).rejects.toThrow(
      "the bucket backups at 127.0.0.1:1 cannot be used: connection refused",
    );
  });

  test("a server that does not respond", async () => {
    const { at } = answering(() => new Promise<Response>(() => {}));
    await expect(read(at(), { deadline: 40 })).rejects.toThrow("no response in time");
  });

  test("keys are never part of a message", async () => {
    const { at } = answering(failing(403, "Other", "<Message>id key</Message>"));
    const error = await read(at()).catch((cause: Error) => cause);
    expect(String(error)).not.toMatch(/\bkey\b|\bid\b/);
  });
});

test("a missing object is null, and nothing else is", async () => {
  expect(await read(answering(failing(404, "NoSuchKey")).at())).toBeNull();
  expect(await read(answering(failing(416, "InvalidRange")).at())).toBe("");
});

describe("a large object", () => {
  const begun = () =>
    new Response("<InitiateMultipartUploadResult><UploadId>u&amp;1</UploadId></InitiateMultipartUploadResult>");
  const part = () => new Response(null, { headers: { etag: '"tag"' } });
  const write = (at: S3Destination) =>
    s3Objects(at, KEYS, { wait: async () => {}, partBytes: 4 }).write(
      "large",
      (async function* () {
        yield Buffer.from("sixteen bytes ..");
      })(),
    );
  const requested = ({ requests }: { requests: readonly Requested[] }) =>
    requests.map(({ method, url }) => `${method} ${url.search}`);

  test("is aborted and its parts are deleted if an upload of a part fails", async () => {
    const server = answering(begun, part, failing(403, "AccessDenied"), () => new Response(null, { status: 204 }));
    await expect(write(server.at())).rejects.toThrow("may not do this");
    expect(requested(server)).toEqual([
      "POST ?uploads=",
      "PUT ?partNumber=1&uploadId=u%261",
      "PUT ?partNumber=2&uploadId=u%261",
      "DELETE ?uploadId=u%261",
    ]);
  });

  test("is not stored if its completion fails in a response with 200", async () => {
    const done = failing(200, "InternalError");
    const { at } = answering(begun, part, part, part, part, done, () => new Response(null, { status: 204 }));
    await expect(write(at())).rejects.toThrow("the server answered 200 InternalError");
  });

  test("is stored if the response to its first completion was lost", async () => {
    const listed = () =>
      new Response("<ListBucketResult><Contents><Key>p/large</Key><Size>16</Size></Contents></ListBucketResult>");
    const lost = failing(500, "InternalError");
    const { at } = answering(begun, part, part, part, part, lost, failing(404, "NoSuchUpload"), listed);
    await write(at());
  });
});

test("a list is read page by page, and unfinished uploads below the prefix are aborted", async () => {
  const page =
    (key: string, next = "") =>
    () =>
      new Response(
        `<ListBucketResult><Contents><Key>p/${key}</Key><Size>1</Size></Contents>${next}</ListBucketResult>`,
      );
  const { requests, at } = answering(
    page("a&amp;1", "<NextContinuationToken>t=1&lt;</NextContinuationToken>"),
    page("b"),
  );
  const names = (await Array.fromAsync(s3Objects(at(), KEYS).list(""))).map(({ name }) => name);
  expect(names).toEqual(["a&1", "b"]);
  expect(requests[1]?.url.searchParams.get("continuation-token")).toBe("t=1<");

  const uploads = () => new Response("<R><Upload><Key>p/x</Key><UploadId>1</UploadId></Upload></R>");
  const aborting = answering(uploads, () => new Response(null, { status: 204 }));
  await s3Objects(aborting.at(), KEYS).prepare();
  expect(aborting.requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
    "GET /backups/",
    "DELETE /backups/p/x",
  ]);
});
