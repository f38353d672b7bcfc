import { isServed } from "../domain/deployments/clean-urls.ts";
import { encodePath } from "../domain/deployments/url-text.ts";
import type { DomainError } from "../domain/errors.ts";
import { requireSiteName } from "../domain/sites/name.ts";
import { ApiError } from "./client/api-error.ts";
import { type ApiClient, path as apiPath } from "./client/client.ts";
import { connect } from "./client/connect.ts";
import type { Deployment, DeployResult, Warning } from "./client/types.ts";
import { agreeToPrivacy } from "./deploying/agree-to-privacy.ts";
import { contentOf, sizeOf } from "./deploying/content.ts";
import { checkLimits } from "./deploying/limits.ts";
import { type OriginOptions, originOf } from "./deploying/origin.ts";
import { rememberedSite, rememberSite } from "./deploying/remembered-site.ts";
import { readSource, type Source } from "./deploying/source.ts";
import { missingStartPage } from "./deploying/start-page.ts";
import { type UploadRequest, upload } from "./deploying/upload.ts";
import { Failure } from "./errors.ts";
import { ProgressBar } from "./terminal/progress-bar.ts";
import { printable } from "./terminal/style.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes, formatDuration } from "./terminal/units.ts";
import type { ClientOptions, JsonOption } from "./verb.ts";
import { warn } from "./warn.ts";

interface Options extends ClientOptions, JsonOption, OriginOptions {
  readonly site?: string;
  readonly private?: boolean;
  readonly force?: boolean;
}

/** Publishes a folder, a ZIP or one file, and prints the site's URL on stdout. */
export async function run(terminal: Terminal, path: string, options: Options): Promise<void> {
  const client = await connect(terminal, options);
  const started = performance.now();
  const source = await readSource(path);
  const remembered = options.site === undefined ? await rememberedSite(path) : null;
  const site = options.site ?? remembered;
  if (site !== null) checkSite(site);
  await checkLimits(client, source);
  if (source.kind === "files") for (const note of notesOn(path, source)) warn(terminal, note);
  if (options.private && remembered !== null && !(await agreeToPrivacy(terminal, client, remembered))) return;

  const request = {
    site,
    private: options.private === true,
    origin: originOf(options, terminal.env),
    onlyIfChanged: options.force !== true,
  };
  const sending = send(terminal, client, source, request);
  const result = await sending.catch((error) => adviseOnMemory(error, remembered));
  const took = formatDuration(performance.now() - started);
  await tellResult(terminal, client, source, result, { took, json: options.json === true });
  await remember(terminal, path, result.site_name);
}

/** Returns what a person should know of files before they are sent. */
function notesOn(path: string, { files, notes }: Extract<Source, { kind: "files" }>): readonly string[] {
  const startPage = files.length > 1 ? missingStartPage(path, files) : null;
  return startPage === null ? notes : [...notes, startPage];
}

/** Not every name that is none can be sent, to be refused with these words there: it goes in a header. */
function checkSite(site: string): void {
  try {
    requireSiteName(site);
  } catch (error) {
    throw new Failure((error as DomainError).detail, "Choose another name with --site NAME.");
  }
}

async function send(
  terminal: Terminal,
  client: ApiClient,
  source: Source,
  request: Omit<UploadRequest, "content">,
): Promise<DeployResult> {
  const bar = new ProgressBar(terminal, "Uploading", sizeOf(source));
  try {
    const content = contentOf(source, (bytes) => bar.advance(bytes));
    const whole = withEnd(content, () => terminal.status("Publishing …"));
    return await upload(client, { ...request, content: whole });
  } finally {
    bar.clear();
  }
}

/** Prints what was made, and the warnings that the server keeps with it. */
async function tellResult(
  terminal: Terminal,
  client: ApiClient,
  source: Source,
  result: DeployResult,
  { took, json }: { readonly took: string; readonly json: boolean },
): Promise<void> {
  const deployment = await findDeployment(client, result);
  const warnings = deployment?.warnings ?? [];
  if (json) terminal.json({ ...result, warnings });
  else report(terminal, result, deployment, source, took);
  if (result.unchanged) return;
  for (const warning of warnings) {
    // Of files that are sent one by one this was said before.
    const isKnown = source.kind === "files" && warning.file === "index.html" && warning.line === 0;
    if (!isKnown) warn(terminal, place(warning) + warning.message);
  }
}

/** A site that nobody named on the command line is where a refusal may come from. */
function adviseOnMemory(error: unknown, remembered: string | null): never {
  if (remembered === null || !(error instanceof ApiError) || error.httpStatus !== 403) throw error;
  throw new Failure(error.message, `vitrine.json names the site ${remembered}. Choose another with --site NAME.`);
}

/** Calls `onEnd` when everything was handed to the network: from then on it is the server that works. */
async function* withEnd(content: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncGenerator<Uint8Array> {
  yield* content;
  onEnd();
}

/** The deploy answer has no warnings: they stand in the deployment's record. Without it the deployment counts all the same. */
async function findDeployment(client: ApiClient, result: DeployResult): Promise<Deployment | null> {
  const { site_name: site, deployment_number: number } = result;
  try {
    const page = await client.list<Deployment>(apiPath`/sites/${site}/deployments?limit=1&before=${number + 1}`);
    return page.find((deployment) => deployment.deployment_number === number) ?? null;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function report(
  terminal: Terminal,
  result: DeployResult,
  deployment: Deployment | null,
  source: Source,
  took: string,
): void {
  const name = terminal.style.bold(printable(result.site_name));
  const { deployment_number: number, unchanged } = result;
  const size = deployment ? ` ${count(deployment.file_count, "file")}, ${formatBytes(deployment.size_bytes)},` : "";
  terminal.done(
    unchanged
      ? `Nothing changed: deployment ${number} of ${name} has the same files.`
      : `Deployed${size} to ${name} as deployment ${number} in ${took}.`,
  );
  if (result.private) terminal.say("The site is private: only you and its readers can view it.");
  terminal.data(printable(result.url));
  const [only] = source.kind === "files" && source.files.length === 1 ? source.files : [];
  if (only && only.path !== "index.html" && isServed(only.path)) {
    terminal.say(`The file is at ${new URL(encodePath(`/${only.path}`), result.url)}`);
  }
}

/** A folder that cannot be written takes nothing away from the deployment. */
async function remember(terminal: Terminal, path: string, site: string): Promise<void> {
  try {
    const file = await rememberSite(path, site);
    if (file) terminal.say(terminal.style.dim(`Saved the site in ${file}.`));
  } catch (error) {
    warn(terminal, `the site could not be saved in vitrine.json: ${(error as Error).message}`);
  }
}

function place({ file, line }: Warning): string {
  return line > 0 ? `${file}:${line}: ` : `${file}: `;
}
