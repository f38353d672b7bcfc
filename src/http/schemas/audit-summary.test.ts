import { expect, test } from "bun:test";
import { summaryOf } from "./audit-summary.ts";

test.each([
  ["POST /deploy", "deployment_number=3", "Published deployment 3"],
  ["POST /tokens", "token_id=ab12 token=CI%20of%20a%3Db", "Created the deployment token CI of a=b"],
  ["POST /sites/:name/domains", "claim_id=1 hostname=www.example.org", "Claimed www.example.org"],
  ["POST /sites/:name/deployments/:deployment_number/activate", "deployment_number=3", "Made deployment 3 live"],
  ["DELETE /tokens/:token_id", "token_id=ab12", "Revoked a deployment token"],
  ["DELETE /sites/:name/access/readers/:reader_id", "reader_id=7", "Removed a reader"],
  ["PUT /sites/:name/access", "", "Made the site private"],
  ["PUT /sites/:name/something/new", "something=1", "PUT /sites/:name/something/new something=1"],
  ["freeze", "phishing=yes", "Froze the site: phishing=yes"],
  ["freeze", "", "Froze the site"],
  ["unfreeze", "", "Unfroze the site"],
  ["retention pin", "deployment 1", "retention pin deployment 1"],
])("%s of %p reads %p", (action, subject, words) => {
  expect(summaryOf({ action, subject })).toBe(words);
});
