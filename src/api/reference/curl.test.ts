import { expect, test } from "bun:test";
import { curlCommand } from "./curl.ts";
import type { Listed } from "./operation-groups.ts";

const operation = (from: Partial<Listed>): Listed => ({
  operationId: "id",
  summary: "",
  tags: [],
  security: [],
  responses: {},
  method: "GET",
  path: "/health",
  ...from,
});
const body = (type: string, example?: unknown) => ({ requestBody: { content: { [type]: { schema: {}, example } } } });
const security = [{ session: [] }];

test.each<[string, Partial<Listed>, string]>([
  ["nothing", {}, "curl http://a.example/health"],
  [
    "a credential",
    { security, method: "DELETE", path: "/sites/{site_name}/domains/{claim_id}" },
    'curl -X DELETE http://a.example/sites/SITE_NAME/domains/CLAIM_ID -H "Authorization: Bearer $TOKEN"',
  ],
  [
    "JSON",
    { method: "POST", ...body("application/json", { name: "it's" }) },
    `curl -X POST http://a.example/health -H "Content-Type: application/json" -d '{"name":"it'\\''s"}'`,
  ],
  [
    "a file",
    { method: "POST", ...body("multipart/form-data") },
    "curl -X POST http://a.example/health -F file=@site.zip",
  ],
])("a call with %s", (_what, from, command) => {
  expect(curlCommand(operation(from), "http://a.example").replaceAll(" \\\n  ", " ")).toBe(command);
});
