import type { JSX } from "preact";
import { formatNumber } from "../../format.ts";
import { SearchField } from "../../parts/field.tsx";
import { Icon, type IconName } from "../../parts/icons.tsx";
import { Menu, MenuHead, MenuItem } from "../../parts/menu.tsx";
import { ScrollRow } from "../../parts/scroll-row.tsx";
import { countsOf, type Kind, type SiteRow, tagsOf } from "./rows.ts";
import type { View } from "./view.ts";

const CHIPS: readonly { kind: Kind; name: string; icon?: IconName }[] = [
  { kind: "all", name: "All" },
  { kind: "private", name: "Private", icon: "lock" },
  { kind: "frozen", name: "Frozen", icon: "snowflake" },
  { kind: "shared", name: "Shared with me", icon: "users" },
];
/** These depend on the figures. They come last, so that nothing moves when these are loaded. */
const LATE_CHIPS: typeof CHIPS = [
  { kind: "domain", name: "Custom domain", icon: "globe" },
  { kind: "attention", name: "Needs attention", icon: "warning" },
];

/** Search and filters. A filter without sites is omitted, unless it is selected. */
export function Filters(props: {
  rows: readonly SiteRow[];
  view: View;
  change: (change: Partial<View>) => void;
}): JSX.Element {
  const { rows, view, change } = props;
  const counts = countsOf(rows);
  const isAvailable = ({ kind }: { kind: Kind }) => kind === "all" || counts[kind] > 0 || view.kind === kind;
  const chip = ({ kind, name, icon }: (typeof CHIPS)[number]) => (
    <button key={kind} type="button" class="chip" aria-pressed={view.kind === kind} onClick={() => change({ kind })}>
      {icon && <Icon name={icon} />}
      {name}
      <span class="faint">{formatNumber(counts[kind])}</span>
    </button>
  );
  return (
    <search class="filters">
      <SearchField
        label="Search sites"
        placeholder="Search by name, domain or tag"
        value={view.text}
        change={(text) => change({ text })}
      />
      <ScrollRow class="chips">
        {CHIPS.filter(isAvailable).map(chip)}
        <TagFilter rows={rows} tag={view.tag} choose={(tag) => change({ tag })} />
        {LATE_CHIPS.filter(isAvailable).map(chip)}
      </ScrollRow>
    </search>
  );
}

function TagFilter(props: {
  rows: readonly SiteRow[];
  tag: string | null;
  choose: (tag: string | null) => void;
}): JSX.Element | null {
  const { tag: chosen, choose } = props;
  const tags = tagsOf(props.rows);
  if (tags.length === 0 && chosen === null) return null;
  const face = (
    <>
      <Icon name="tag" />
      {chosen ?? "Tags"}
      <Icon name="chevronDown" />
    </>
  );
  return (
    <Menu
      label={chosen === null ? "Tags" : `Tag: ${chosen}`}
      class="chip"
      button={face}
      pressed={chosen !== null}
      fromLeft
    >
      <MenuHead>Tags</MenuHead>
      {chosen !== null && (
        <MenuItem icon="x" onClick={() => choose(null)}>
          All tags
        </MenuItem>
      )}
      {tags.map(([tag, count]) => (
        <MenuItem
          key={tag}
          icon={tag === chosen ? "check" : "tag"}
          end={formatNumber(count)}
          onClick={() => choose(tag)}
        >
          {tag}
        </MenuItem>
      ))}
    </Menu>
  );
}
