// Writes the settings table of the code into README.md, between its two markers: `npm run readme`.
import { settingsTable } from "../src/config/settings.ts";

const readme = Bun.file(`${import.meta.dir}/../README.md`);
const text = await readme.text();
const table = `<!-- settings -->\n\n${settingsTable()}\n\n<!-- /settings -->`;
await readme.write(text.replace(/<!-- settings -->.*<!-- \/settings -->/s, () => table));
