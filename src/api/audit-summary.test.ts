import { expect, test } from "bun:test";
import { summaryOf } from "./routes/routes.ts";

test.each([
  ["POST /deploy", "deployment_number=3", "Published deployment 3"],
  ["POST /tokens", "token_id=ab12 token=CI%20of%20a%3Db", "Created the deployment token CI of a=b"],
  ["POST /sites/:name/domains", "claim_id=1 hostname=www.example.org", "Added the domain www.example.org"],
  ["POST /sites/:name/deployments/:deployment_number/activate", "deployment_number=3", "Activated deployment 3"],
  // As in entries of versions that did not store a subject.
  ["POST /deploy", "", "Published a deployment"],
  ["POST /sites/:name/deployments/:deployment_number/activate", "", "Activated a deployment"],
  ["POST /sites/:name/deployments/:deployment_number/pin", "", "Pinned a deployment"],
  ["DELETE /sites/:name/deployments/:deployment_number/pin", "", "Unpinned a deployment"],
  ["POST /sites/:name/access/readers", "", "Added a reader"],
  ["POST /sites/:name/domains", "", "Added a custom domain"],
  ["POST /tokens", "token_id=ab12", "Created a deployment token"],
  ["DELETE /tokens/:token_id", "token_id=ab12", "Revoked a deployment token"],
  ["DELETE /sites/:name/access/readers/:reader_id", "reader_id=7", "Removed a reader"],
  ["PUT /sites/:name/access", "", "Made the site private"],
  ["PUT /sites/:name/something/new", "something=1", "PUT /sites/:name/something/new something=1"],
  [
    "POST /deploy",
    "deployment_number=3 preview=yes scope=preview%20site%3Ablog",
    "Made deployment 3 as a preview, with the scope preview site:blog",
  ],
  [
    "POST /device",
    "verdict=approved device=an%20agent scope=preview%20site%3Ablog",
    "Approved the device an agent with the scope preview site:blog",
  ],
  ["POST /device", "verdict=denied device=an%20agent", "Denied the device an agent"],
  ["POST /device", "", "Approved or denied a device"],
  ["freeze", "phishing=yes", "Froze the site: phishing=yes"],
  ["freeze", "", "Froze the site"],
  ["unfreeze", "", "Unfroze the site"],
  ["site expiry", "", "Deleted the site, which had expired"],
  ["retention pin", "deployment 1", "retention pin deployment 1"],
])("%s of %p reads %p", (action, subject, words) => {
  expect(summaryOf({ action, subject })).toBe(words);
});
