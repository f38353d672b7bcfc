import { expect, test } from "bun:test";
import { isDocumentUrl, readClientDocument } from "./client-document.ts";

const ID = "https://editor.example/client.json";
const DOCUMENT = { client_id: ID, client_name: "An editor", redirect_uris: ["http://127.0.0.1/callback"] };

test("a document names its client and where its answers go", () => {
  const { redirect_uris: redirectUris, client_name: name } = DOCUMENT;
  const more = { token_endpoint_auth_method: "private_key_jwt", grant_types: ["authorization_code"] };
  expect(readClientDocument(ID, JSON.stringify({ ...DOCUMENT, ...more }))).toEqual({ id: ID, name, redirectUris });
  const { client_name: _, ...nameless } = DOCUMENT;
  expect(readClientDocument(ID, JSON.stringify(nameless))).toMatchObject({ name: "an unnamed program" });
});

test.each<[unknown, string]>([
  [{ ...DOCUMENT, client_id: `${ID}/` }, "is that of another client"],
  [{ ...DOCUMENT, client_id: undefined }, "is that of another client"],
  [{ ...DOCUMENT, token_endpoint_auth_method: "client_secret_basic" }, "is of a client with a secret"],
  [{ ...DOCUMENT, client_secret: "secret" }, "is of a client with a secret"],
  [{ ...DOCUMENT, redirect_uris: [] }, "names no redirect_uris"],
  [{ ...DOCUMENT, redirect_uris: "https://editor.example/" }, "names no redirect_uris"],
  [{ ...DOCUMENT, redirect_uris: Array(21).fill("https://editor.example/") }, "names no redirect_uris"],
  [{ ...DOCUMENT, redirect_uris: ["http://editor.example/"] }, "neither HTTPS nor on the user's machine"],
  [{ ...DOCUMENT, redirect_uris: ["javascript:alert(1)"] }, "neither HTTPS nor on the user's machine"],
  [{ ...DOCUMENT, redirect_uris: [7] }, "neither HTTPS nor on the user's machine"],
  [[], "is not a JSON object"],
  [null, "is not a JSON object"],
])("the document %j is none: it %s", (document, problem) => {
  expect(readClientDocument(ID, JSON.stringify(document))).toEqual({ problem: expect.stringContaining(problem) });
});

test.each([
  [ID, true],
  ["https://chatgpt.com/oauth/aB3/client.json", true],
  ["https://editor.example:8443/client.json", true],
  ["http://editor.example/client.json", false],
  ["https://editor.example", false],
  ["https://editor.example/", false],
  ["https://editor.example/a/../client.json", false],
  ["https://EDITOR.example/client.json", false],
  ["https://user@editor.example/client.json", false],
  ["https://editor.example/client.json#a", false],
  ["0123456789abcdef0123456789abcdef", false],
])("%p is the address of a document: %p", (id, isOne) => {
  expect(isDocumentUrl(id)).toBe(isOne);
});
