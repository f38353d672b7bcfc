import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import { useResource } from "../../../api/resource.ts";
import type { Publisher, Site } from "../../../api/types.ts";
import { Ago, Copyable, Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { Card } from "../../../parts/card.tsx";
import { useClientSource } from "../../../parts/command-line.ts";
import { CloseAction, Confirm, Dialog } from "../../../parts/dialog.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { Menu, MenuItem, MenuLine } from "../../../parts/menu.tsx";
import { Avatar } from "../../../parts/status.tsx";
import { announce } from "../../../parts/toasts.tsx";
import { PublisherForm } from "./publisher-form.tsx";
import { conditionsOf, PROVIDERS } from "./publisher-words.ts";
import { workflowFile } from "./workflow-file.ts";

/** The CI workflows that deploy without a stored secret. */
export function Publishers({ site }: { site: Site }): JSX.Element {
  const path = `/sites/${site.name}/publishers`;
  const publishers = useResource<Publisher[]>(path);
  const [adding, setAdding] = useState(false);
  const added = (publisher: Publisher) => {
    publishers.set((all) => [...all, publisher]);
    announce(`${publisher.repository} can deploy to ${site.name} now. Add the workflow file to it.`);
    setAdding(false);
  };
  const removed = (id: string) => publishers.set((all) => all.filter((publisher) => publisher.id !== id));
  return (
    <>
      <Card
        title="Publishers"
        actions={
          !adding && (
            <button type="button" class="button small" onClick={() => setAdding(true)}>
              <Icon name="plus" /> Add publisher
            </button>
          )
        }
        foot="A publisher is a CI workflow that deploys without a stored secret."
      >
        <Loaded resource={publishers} what="the publishers" skeleton={<SkeletonRows rows={1} />}>
          {(all) =>
            all.length === 0 ? (
              <p class="card-body muted small">No publishers yet.</p>
            ) : (
              <ul class="list">
                {all.map((publisher) => (
                  <Row key={publisher.id} site={site.name} publisher={publisher} removed={removed} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {adding && <PublisherForm site={site.name} added={added} cancel={() => setAdding(false)} />}
    </>
  );
}

interface RowProps {
  readonly site: string;
  readonly publisher: Publisher;
  readonly removed: (id: string) => void;
}

function Row({ site, publisher, removed }: RowProps): JSX.Element {
  const { repository, permission, last_used_at } = publisher;
  const [open, setOpen] = useState<"file" | "removal" | null>(null);
  const close = () => setOpen(null);
  const remove = async () => {
    await call("DELETE", `/sites/${site}/publishers/${publisher.id}`);
    removed(publisher.id);
    announce(`${repository} can no longer deploy to ${site}.`);
  };
  return (
    <li>
      <Avatar name={repository} machine="branch" />
      <div class="grow">
        <h3 class="strong cut">{repository}</h3>
        <p class="tiny muted cut">{conditionsOf(publisher)}</p>
      </div>
      <span class="badge">{permission === "publish" ? "Publish" : "Previews only"}</span>
      <span class="small muted wide-only">
        {last_used_at === null ? (
          "Never used"
        ) : (
          <>
            used <Ago at={last_used_at} />
          </>
        )}
      </span>
      <Menu label={`Actions for ${repository}`} class="button quiet small only" button={<Icon name="dots" />}>
        <MenuItem icon="list" onClick={() => setOpen("file")}>
          Workflow file
        </MenuItem>
        <MenuLine />
        <MenuItem icon="trash" risky onClick={() => setOpen("removal")}>
          Delete…
        </MenuItem>
      </Menu>
      {open === "file" && <FileDialog site={site} publisher={publisher} onClose={close} />}
      {open === "removal" && (
        <Confirm
          title={`Delete the publisher ${repository}?`}
          action="Delete publisher"
          onConfirm={remove}
          onClose={close}
        >
          <p class="muted">Its workflow can no longer deploy, and a token that it was given ends at once.</p>
        </Confirm>
      )}
    </li>
  );
}

function FileDialog(props: { site: string; publisher: Publisher; onClose: () => void }): JSX.Element {
  const { site, publisher, onClose } = props;
  const file = workflowFile({ ...publisher, site, source: useClientSource() });
  return (
    <Dialog title={`Workflow for ${publisher.repository}`} onClose={onClose}>
      <p class="muted">
        Add this file to the {PROVIDERS[publisher.provider].name} repository as <code>{file.path}</code>.
      </p>
      <Copyable text={file.text} label="the workflow file" block />
      <CloseAction onClose={onClose} />
    </Dialog>
  );
}
