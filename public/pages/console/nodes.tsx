import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useReloads } from "../../api/reloads.ts";
import { useResource } from "../../api/resource.ts";
import type { ClusterNode } from "../../api/types.ts";
import { Ago } from "../../parts/basics.tsx";
import { Card } from "../../parts/card.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Menu, MenuItem } from "../../parts/menu.tsx";
import { announce } from "../../parts/toasts.tsx";
import { isChanging, lagText, statesText } from "./node-words.ts";

const PATH = "/admin/nodes";
/** Reload interval while a node is draining. */
const PACE_MS = 2000;

/**
 * The nodes of a cluster. Nothing for a server without other nodes, and while that is unknown, so the card is the last
 * of its column.
 */
export function NodesCard(): JSX.Element | null {
  const { data: nodes, reload } = useResource<ClusterNode[]>(PATH);
  const [draining, setDraining] = useState<ClusterNode | null>(null);
  useReloads(nodes !== undefined && isChanging(nodes), reload, PACE_MS);
  if (!nodes || nodes.length === 0) return null;
  return (
    <Card title="Nodes" actions={<span class="muted small">{statesText(nodes)}</span>}>
      <ul class="list brief">
        {nodes.map((node) => (
          <NodeRow key={`${node.name} ${node.address}`} node={node} nodes={nodes} drain={() => setDraining(node)} />
        ))}
      </ul>
      {draining && <DrainDialog name={draining.name} reload={reload} onClose={() => setDraining(null)} />}
    </Card>
  );
}

// --- internal ---

const STATES = {
  live: ["good", "check", "Live"],
  draining: ["accent-text", "refresh", "Draining"],
  isolated: ["warn", "warning", "Isolated"],
} as const;

function NodeRow(props: { node: ClusterNode; nodes: readonly ClusterNode[]; drain: () => void }): JSX.Element {
  const { node, nodes, drain } = props;
  const [tone, icon, word] = STATES[node.state];
  const isDraining = node.state === "draining";
  return (
    <li>
      <span class={tone}>
        <Icon name={icon} />
        {node.state === "live" && <span class="visually-hidden">{word}</span>}
      </span>
      <div class="grow">
        <p class="strong cut">{node.name}</p>
        <p class="tiny muted cut" title={node.address}>
          {node.state === "isolated" ? (
            <>
              Last seen <Ago at={node.last_seen_at} />
            </>
          ) : (
            `${node.address}, version ${node.version}`
          )}
        </p>
      </div>
      <p class="num small muted">{node.state === "live" ? lagText(node, nodes) : word}</p>
      <Menu label={`Actions for the node ${node.name}`} class="button quiet small only" button={<Icon name="dots" />}>
        <MenuItem icon="signOut" disabled={isDraining} onClick={() => !isDraining && drain()}>
          Drain…
        </MenuItem>
      </Menu>
    </li>
  );
}

function DrainDialog(props: { name: string; reload: () => Promise<void>; onClose: () => void }): JSX.Element {
  const { name, reload, onClose } = props;
  const drain = async () => {
    await call("POST", `${PATH}/${encodeURIComponent(name)}/drain`);
    await reload();
    announce(`${name} is draining.`);
  };
  return (
    <Confirm title={`Drain ${name}?`} action="Drain" onConfirm={drain} onClose={onClose}>
      <p class="muted">
        It takes no more visits, finishes its requests, and ends. To bring it back, start it where it runs.
      </p>
    </Confirm>
  );
}
