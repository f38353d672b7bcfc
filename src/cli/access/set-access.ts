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
  if (!isPrivate) return terminal.done(`${site} is public: everyone sees it.`);
  terminal.done(`${site} is private: only you and its readers see it.`);
  terminal.say(`Let people in with: vitrine readers add ${site} LOGIN`);
}
