import type { JSX } from "preact";
import type { AuditEntry } from "../../api/types.ts";
import { withMoments } from "../../format.ts";
import { Ago } from "../../parts/basics.tsx";
import { Icon } from "../../parts/icons.tsx";
import { actorOf, iconOf } from "./activity-words.ts";

interface Props {
  readonly entries: readonly AuditEntry[];
  /** True if the client's address of a change is shown. */
  readonly withAddress?: boolean;
}

/** Changes, newest first, with actor and time. */
export function ActivityList({ entries, withAddress = false }: Props): JSX.Element {
  return (
    <ol class="activity-list">
      {entries.map((entry) => (
        <li key={entry.id}>
          <span class="activity-icon">
            <Icon name={iconOf(entry.action)} />
          </span>
          <div class="grow">
            <p>
              <strong>{actorOf(entry)}</strong>{" "}
              {withMoments(entry.summary.slice(0, 1).toLowerCase() + entry.summary.slice(1))}
            </p>
            <p class="tiny faint">
              <Ago at={entry.at} />
              {withAddress && entry.address !== "" && ` from ${entry.address}`}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
