import { expect, test } from "bun:test";
import { MINUTE } from "../../domain/timestamp.ts";
import type { GuardedClient, GuardedResponse } from "../http/guarded.ts";
import { fetchedClientDocuments } from "./client-documents.ts";

const ID = "https://editor.example/client.json";
const DOCUMENT = JSON.stringify({ client_id: ID, client_name: "An editor", redirect_uris: ["http://localhost/"] });

function answering(response: GuardedResponse) {
  const asked: unknown[] = [];
  let now = 0;
  const guard: GuardedClient = {
    refusal: () => null,
    send: async (url, request) => {
      asked.push([url.href, request.method]);
      return response;
    },
  };
  const documents = fetchedClientDocuments(guard, { now: () => now });
  return { documents, asked, advance: (time: number) => (now += time) };
}

const found = (text: string, statusCode = 200): GuardedResponse => ({
  statusCode,
  body: Buffer.from(text),
  error: null,
});

test("a document is fetched once in ten minutes", async () => {
  const { documents, asked, advance } = answering(found(DOCUMENT));
  expect(documents.recent(ID)).toBeNull();
  const client = { id: ID, name: "An editor", redirectUris: ["http://localhost/"] };
  expect(await documents.fetch(ID)).toEqual(client);
  expect([documents.recent(ID), asked]).toEqual([client, [[ID, "GET"]]]);
  advance(10 * MINUTE);
  expect(documents.recent(ID)).toBeNull();
});

test.each<[GuardedResponse, string]>([
  [{ statusCode: null, error: "the name cannot be resolved" }, "cannot be fetched: the name cannot be resolved"],
  [found("", 302), "is answered with the status 302"],
  [found(DOCUMENT.padEnd(5121)), "is larger than 5120 bytes"],
  [found("<html>"), "is not a JSON object"],
])("what is no document is not kept: %j", async (response, problem) => {
  const { documents } = answering(response);
  expect(await documents.fetch(ID)).toEqual({ problem });
  expect(documents.recent(ID)).toBeNull();
});
