import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import { useResource } from "../../../api/resource.ts";
import type { DeploymentFiles, FileEntry, Site } from "../../../api/types.ts";
import { count, formatBytes } from "../../../format.ts";
import { ActionButton } from "../../../parts/action-button.tsx";
import { EmptyFace, Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { SearchField } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { memo } from "../../../parts/memo.ts";
import { useSettled } from "../../../parts/settled.ts";
import { sitePath } from "../../../router.ts";
import { detailsPath, numberIn } from "../deployments/resources.ts";
import { kindOf, nameIn } from "./file-words.ts";

/** The files of the deployment that the URL names: a tree whose folders are loaded when they are opened, and a search. */
export function FilesPage({ site }: { site: Site }): JSX.Element {
  const number = numberIn(location.search);
  const [text, setText] = useState("");
  const wanted = useSettled(text.trim());
  if (number === null) {
    return (
      <EmptyFace icon="folder" title="No deployment chosen">
        <p>
          Choose <em>Files</em> in the menu of a <a href={sitePath(site.name, "deployments")}>deployment</a>.
        </p>
      </EmptyFace>
    );
  }
  const files = `/sites/${site.name}/deployments/${number}/files`;
  return (
    <>
      <div class="filters">
        <SearchField label="Search files" placeholder="Name or folder" value={text} change={setText} />
        <span class="grow" />
        <a class="button" href={detailsPath(site.name, number)}>
          Details
        </a>
        <a class="button" href={`/sites/${site.name}/deployments/${number}/archive`} download="">
          <Icon name="download" /> Download ZIP
        </a>
      </div>
      <div class="card">
        <div class="file head-row" aria-hidden="true">
          <span class="grow">Name</span>
          <span class="file-type">Type</span>
          <span class="file-size">Size</span>
        </div>
        <Listing
          key={wanted}
          files={files}
          folder={wanted === "" ? "" : null}
          query={wanted === "" ? "folder=" : `search=${encodeURIComponent(wanted)}`}
          depth={0}
        />
      </div>
    </>
  );
}

interface ListingProps {
  /** The path of the API's operation. */
  readonly files: string;
  readonly query: string;
  /** The folder that is listed; null for the result of a search. */
  readonly folder: string | null;
  readonly depth: number;
}

/** Entries loaded at once. A folder of 50,000 files is shown in parts. */
const PAGE = 200;

/** A folder or the result of a search, page by page. */
function Listing(props: ListingProps): JSX.Element {
  const { files, query, folder, depth } = props;
  const path = `${files}?${query}&limit=${PAGE}`;
  const first = useResource<DeploymentFiles>(path, { fixed: true });
  const [further, setFurther] = useState<readonly DeploymentFiles[]>([]);
  return (
    <Loaded resource={first} what="the files" skeleton={<SkeletonRows rows={depth === 0 ? 6 : 1} />}>
      {(page) => {
        const pages = [page, ...further];
        const next = pages.at(-1)?.next ?? null;
        const more = async (after: string) => {
          const loaded = await call<DeploymentFiles>("GET", `${path}&after=${encodeURIComponent(after)}`);
          setFurther((known) => [...known, loaded]);
        };
        if (page.entries.length === 0) return <NothingFound />;
        return (
          <ul class="files" style={{ "--depth": depth }}>
            {pages.map(({ entries }) => (
              <Entries key={entries[0]?.path} {...{ files, folder, depth, entries }} />
            ))}
            {next !== null && (
              <li class="file">
                <ActionButton class="small" run={() => more(next)}>
                  Show more files
                </ActionButton>
              </li>
            )}
          </ul>
        );
      }}
    </Loaded>
  );
}

interface EntriesProps extends Omit<ListingProps, "query"> {
  readonly entries: readonly FileEntry[];
}

/** A page of a list. It stays as it is when the next page is added. */
const Entries = memo(function Entries({ files, folder, depth, entries }: EntriesProps): JSX.Element {
  return (
    <>
      {entries.map((entry) => (
        <li key={entry.path}>
          {entry.type === null ? (
            <Folder files={files} entry={entry} depth={depth} />
          ) : (
            <File entry={entry} name={nameIn(folder, entry.path)} />
          )}
        </li>
      ))}
    </>
  );
});

function NothingFound(): JSX.Element {
  return (
    <EmptyFace icon="search" title="No file matches">
      <p>The search looks for the text in the whole path of a file.</p>
    </EmptyFace>
  );
}

function Folder({ files, entry, depth }: { files: string; entry: FileEntry; depth: number }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const name = entry.path.split("/").at(-2) ?? "";
  return (
    <>
      <button type="button" class="file folder" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="chevronDown" />
        <Icon name="folder" />
        <span class="grow cut">{name}</span>
        <span class="file-type">{count(entry.file_count, "file")}</span>
        <span class="file-size">{formatBytes(entry.size_bytes)}</span>
      </button>
      {isOpen && (
        <Listing
          files={files}
          folder={entry.path}
          query={`folder=${encodeURIComponent(entry.path)}`}
          depth={depth + 1}
        />
      )}
    </>
  );
}

function File({ entry, name }: { entry: FileEntry; name: string }): JSX.Element {
  return (
    <div class="file">
      <span class="grow cut">
        {entry.url === null ? (
          <span title="Never served to visitors">{name}</span>
        ) : (
          <a href={entry.url} target="_blank" rel="noopener">
            {name}
          </a>
        )}
      </span>
      <span class="file-type">{entry.url === null ? "Never served" : kindOf(entry.type ?? "")}</span>
      <span class="file-size">{formatBytes(entry.size_bytes)}</span>
    </div>
  );
}
