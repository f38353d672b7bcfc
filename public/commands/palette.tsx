import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { useResource } from "../api/resource.ts";
import type { HostingCapability, SharedSite, Site, SiteFigures } from "../api/types.ts";
import { initialOf, withoutScheme } from "../format.ts";
import { Icon } from "../parts/icons.tsx";
import { useModal } from "../parts/modal.ts";
import { Keys } from "../parts/status.tsx";
import { navigate, sitePath } from "../router.ts";
import { type Command, type CommandGroup, runCommand } from "./command.ts";
import { around, type Findable, findCommands, findSites } from "./find.ts";
import { keyNames } from "./key-names.ts";

interface Option {
  readonly id: string;
  readonly command: Command;
  readonly face: ComponentChildren;
}

/**
 * The command palette: sites, actions of the current site, and everything else. It is searched by typing, and navigated
 * with arrow keys.
 */
export default function Palette(props: {
  groups: readonly CommandGroup[];
  /** Returns the text that was typed before the palette was loaded. */
  start: () => string;
  onClose: () => void;
}): JSX.Element {
  const { groups, onClose } = props;
  const [text, setText] = useState(props.start);
  const [at, setAt] = useState(0);
  const id = useId();
  const sites = useFindable();
  const shown = optionsOf(findSites(sites, text), findCommands(groups, text), text, id);
  const options = shown.flatMap(({ options }) => options);
  const current = options[Math.min(at, options.length - 1)];
  const choose = (command: Command, inNewTab: boolean) => {
    onClose();
    // After the dialog has restored the focus, so that an element that opens now gets the focus from there.
    setTimeout(() => runCommand(command, navigate, inNewTab));
  };
  const press = (event: KeyboardEvent) => {
    // Enter and the arrows choose a word of an input method.
    if (event.isComposing) return;
    const step = STEPS[event.key];
    if (event.key === "Enter" && current) choose(current.command, event.ctrlKey || event.metaKey);
    else if (step !== undefined && options.length > 0) setAt((now) => (now + step + options.length) % options.length);
    else return;
    event.preventDefault();
  };
  const type = (typed: string) => {
    setText(typed);
    setAt(0);
  };
  return (
    <PaletteDialog current={current?.id} onClose={onClose}>
      <SearchField text={text} type={type} press={press} list={`${id}list`} current={current?.id} />
      <div class="palette-list" id={`${id}list`} role="listbox" aria-label="Results">
        {shown.map(({ name, options }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, as ARIA has it
          <div key={name} role="group" aria-label={name}>
            <p class="menu-head" role="presentation">
              {name}
            </p>
            {options.map((option) => (
              <Choice key={option.id} option={option} selected={option === current} choose={choose} />
            ))}
          </div>
        ))}
      </div>
      {options.length === 0 && (
        <p class="palette-none muted small" role="status">
          No results for “{text.trim()}”
        </p>
      )}
      <Foot />
    </PaletteDialog>
  );
}

/** Closes with Escape, and with a click outside. The current option stays in sight. */
function PaletteDialog(props: {
  /** The ID of the current option. */
  current: string | undefined;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const modal = useModal(props.onClose);
  useEffect(() => {
    modal.ref.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [props.current]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      class="dialog palette"
      aria-label="Search or jump to"
      {...modal}
      onClick={(event) => event.target === modal.ref.current && props.onClose()}
    >
      {props.children}
    </dialog>
  );
}

function SearchField(props: {
  text: string;
  type: (text: string) => void;
  press: (event: KeyboardEvent) => void;
  /** The IDs of the list and of its current option. */
  list: string;
  current: string | undefined;
}): JSX.Element {
  return (
    <div class="palette-field">
      <Icon name="search" />
      <input
        class="palette-input"
        value={props.text}
        placeholder="Search sites, pages and actions"
        aria-label="Search sites, pages and actions"
        role="combobox"
        aria-expanded="true"
        aria-controls={props.list}
        aria-activedescendant={props.current}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => props.type(event.currentTarget.value)}
        onKeyDown={props.press}
      />
      <kbd>Esc</kbd>
    </div>
  );
}

function Foot(): JSX.Element {
  return (
    <footer class="palette-foot">
      <span>
        <Keys keys={["↑", "↓"]} /> to move
      </span>
      <span>
        <kbd>↵</kbd> to open
      </span>
      <span class="wide-only">
        <kbd>Ctrl ↵</kbd> in a new tab
      </span>
    </footer>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function Choice(props: {
  option: Option;
  selected: boolean;
  choose: (command: Command, inNewTab: boolean) => void;
}): JSX.Element {
  const { id, command, face } = props.option;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and its keys
    <div
      id={id}
      role="option"
      aria-selected={props.selected}
      class="found"
      onClick={(event) => props.choose(command, event.ctrlKey || event.metaKey)}
    >
      {face}
    </div>
  );
}

function optionsOf(
  sites: ReturnType<typeof findSites>,
  groups: readonly CommandGroup[],
  text: string,
  id: string,
): { readonly name: string; readonly options: readonly Option[] }[] {
  const found = sites.map(({ name, host, href, away }) => ({
    id: `${id}site-${name}`,
    command: { name, icon: "folder", href, away } as const,
    face: (
      <>
        <span class="tile small" aria-hidden="true">
          {initialOf(name)}
        </span>
        <span class="cut">
          <Marked text={name} part={text} />
          <span class="muted option-host">
            <Marked text={host} part={text} />
          </span>
        </span>
      </>
    ),
  }));
  const commands = groups.map(({ name, commands }, group) => ({
    name,
    options: commands.map((command, index) => ({
      id: `${id}command-${group}-${index}`,
      command,
      face: (
        <>
          <Icon name={command.icon} />
          <span class="grow">{command.name}</span>
          {command.keys && (
            <span class="option-end">
              <Keys keys={keyNames(command.keys)} />
            </span>
          )}
        </>
      ),
    })),
  }));
  return found.length === 0 ? commands : [{ name: "Sites", options: found }, ...commands];
}

function Marked({ text, part }: { text: string; part: string }): JSX.Element {
  const [before, match, after] = around(text, part);
  return (
    <>
      {before}
      {match !== "" && <mark>{match}</mark>}
      {after}
    </>
  );
}

/** All sites that can be opened. */
function useFindable(): Findable[] {
  const sites = useResource<Site[]>("/sites");
  const shared = useResource<SharedSite[]>("/shared-sites");
  const figures = useResource<SiteFigures[]>("/site-figures", { fixed: true });
  const hosting = useResource<HostingCapability>("/capabilities/hosting", { fixed: true });
  const domains = new Map(figures.data?.map(({ name, domains }) => [name, domains.map(({ hostname }) => hostname)]));
  const hostOf = (name: string) =>
    hosting.data ? [withoutScheme(hosting.data.site_url.replace("{site}", () => name))] : [];
  const newestFirst = (sites.data ?? []).toSorted((one, other) =>
    one.last_deployed_at < other.last_deployed_at ? 1 : -1,
  );
  return [
    ...newestFirst.map(({ name }) => ({
      name,
      hosts: [...(domains.get(name) ?? []), ...hostOf(name)],
      href: sitePath(name),
      away: false,
    })),
    ...(shared.data ?? []).map(({ name, url }) => ({ name, hosts: hostOf(name), href: url, away: true })),
  ];
}
