import type { Publisher } from "../api/schemas/types.ts";
import type { PublisherProvider } from "../domain/model/publisher.ts";
import { printable } from "../domain/printable.ts";
import { path } from "./client/client.ts";
import { type ClientListOptions, type ClientOptions, connect } from "./client/connect.ts";
import { UsageError } from "./terminal/errors.ts";
import { type Column, printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";

interface AddOptions extends ClientOptions {
  readonly github?: string;
  readonly gitlab?: string;
  readonly forgejo?: string;
  readonly issuer?: string;
  readonly workflow?: string;
  readonly ref?: string;
  readonly environment?: string;
  readonly preview?: boolean;
}

export async function addPublisher(terminal: Terminal, site: string, options: AddOptions): Promise<void> {
  const { issuer, workflow, ref, environment } = options;
  const permission = options.preview ? "preview" : "publish";
  const body = { ...repositoryOf(options), issuer, workflow, ref, environment, permission };
  const client = await connect(terminal, options);
  const added = await client.post<Publisher>(path`/sites/${site}/publishers`, body);
  if (options.json) return terminal.json(added);
  const rights = added.permission === "publish" ? "publish" : "make previews of";
  terminal.done(`${printable(added.repository)} may ${rights} ${site} from CI.`);
  const preview = added.permission === "preview" ? " --preview" : "";
  terminal.say(
    `In its workflow, without a token: vitrine deploy FOLDER --site ${site}${preview} --server ${client.server}`,
  );
  terminal.say(JOB_NEEDS[added.provider]);
}

export async function listPublishers(terminal: Terminal, site: string, options: ClientListOptions): Promise<void> {
  const client = await connect(terminal, options);
  const publishers = await client.list<Publisher>(path`/sites/${site}/publishers`);
  const none = `No publishers. Add one: vitrine publishers add ${site} --github OWNER/REPOSITORY --ref REF`;
  printList(terminal, publishers, { none, columns: COLUMNS }, options);
}

export async function removePublisher(
  terminal: Terminal,
  site: string,
  id: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  await client.delete(path`/sites/${site}/publishers/${id}`);
  terminal.done(`Removed the publisher ${id}. Its deployment tokens no longer work.`);
}

// --- internal ---

const COLUMNS: readonly Column<Publisher>[] = [
  { title: "ID", value: ({ id }) => id },
  { title: "REPOSITORY", value: ({ repository }) => repository, cut: true },
  { title: "PERMISSION", value: ({ permission }) => permission },
  { title: "ONLY", value: conditionsOf, optional: true },
  { title: "LAST USED", value: ({ last_used_at }) => formatTime(last_used_at), optional: true },
];

const JOB_NEEDS: Readonly<Record<PublisherProvider, string>> = {
  github: "The job needs: permissions: { id-token: write, contents: read }",
  gitlab: "The job needs: id_tokens: { VITRINE_ID_TOKEN: { aud: the server's URL } }",
  forgejo: "The job needs: enable-openid-connect: true",
};

function repositoryOf({ github, gitlab, forgejo }: AddOptions): { provider: PublisherProvider; repository: string } {
  const given = Object.entries({ github, gitlab, forgejo }).filter(([, repository]) => repository !== undefined);
  const [[provider, repository] = []] = given;
  if (given.length === 1 && provider !== undefined && repository !== undefined) {
    return { provider: provider as PublisherProvider, repository };
  }
  throw new UsageError("name one repository", "Give --github, --gitlab or --forgejo, such as --github octo/blog");
}

function conditionsOf({ workflow, ref, environment }: Publisher): string {
  return [workflow, ref, environment && `environment ${environment}`].filter(Boolean).join(", ");
}
