import type { JSX } from "preact";
import { CloseAction, Dialog } from "../parts/dialog.tsx";
import { Keys } from "../parts/status.tsx";
import type { CommandGroup } from "./command.ts";
import { keyNames } from "./key-names.ts";
import { setSingleKeys, useSingleKeys } from "./single-keys.ts";

const ALWAYS: readonly [name: string, ...keys: string[]][] = [
  ["Search or jump to", "Ctrl", "K"],
  ["Search this page", "/"],
  ["Close, clear", "Esc"],
];
const LIST: readonly [name: string, ...keys: string[]][] = [
  ["Next, previous row", "J", "K"],
  ["Open", "↵"],
  ["Select", "X"],
  ["Actions", "."],
  ["Edit tags", "T"],
];

/** The keyboard shortcuts of the current page. */
export default function KeysDialog({
  groups,
  onClose,
}: {
  groups: readonly CommandGroup[];
  onClose: () => void;
}): JSX.Element {
  const singleKeys = useSingleKeys();
  return (
    <Dialog title="Keyboard shortcuts" wide onClose={onClose}>
      <div class="keys-body">
        <KeyList title="Everywhere" keys={ALWAYS} />
        <KeyList title="In a list" keys={LIST} />
        {groups.map(({ name, commands }) => (
          <KeyList
            key={name}
            title={name === "Everywhere" ? "Go to" : name}
            keys={commands.flatMap(({ name, keys }) => (keys ? [[name, ...keyNames(keys)]] : []))}
          />
        ))}
      </div>
      <label class="switch">
        <input type="checkbox" checked={singleKeys} onChange={() => setSingleKeys(!singleKeys)} />
        Single-letter shortcuts
      </label>
      <CloseAction onClose={onClose} />
    </Dialog>
  );
}

function KeyList({ title, keys }: { title: string; keys: readonly (readonly string[])[] }): JSX.Element {
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {keys.map(([name = "", ...pressed]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Keys keys={pressed} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
