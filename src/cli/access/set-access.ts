import { type ApiClient, path } from "../client/client.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { JsonOption } from "../verb.ts";

/** Makes a site private or public, and says what that means for its visitors. */
export async function setAccess(
  terminal: Terminal,
  client: ApiClient,
  site: string,
  isPrivate: boolean,
  options: JsonOption,
): Promise<void> {
  if (isPrivate) await client.put(path`/sites/${site}/access`);
  else await client.delete(path`/sites/${site}/access`);
  if (options.json) return terminal.json({ private: isPrivate });
  if (!isPrivate) return terminal.done(`${site} is public: everyone can view it.`);
  terminal.done(`${site} is private: only you and its readers can view it.`);
  terminal.say(`Add readers: vitrine readers add ${site} LOGIN`);
}
