import type { Access, Deployment, DeploymentReport, DeployResult, Warning } from "../api/schemas/types.ts";
import type { DomainError } from "../domain/errors.ts";
import type { DeploymentOrigin } from "../domain/model/deployment.ts";
import { requireSiteName } from "../domain/model/site-name.ts";
import { printable } from "../domain/printable.ts";
import { isServed } from "../domain/rules/clean-urls.ts";
import { encodePath } from "../domain/url-text.ts";
import { ApiError } from "./client/api-error.ts";
import { type ApiClient, path as apiPath } from "./client/client.ts";
import { type ClientOptions, connectToSite } from "./client/connect.ts";
import { contentOf, sizeOf } from "./deploying/archive.ts";
import { type CheckOptions, checkDeployment, gateOf } from "./deploying/check.ts";
import { chooseSite } from "./deploying/choose-site.ts";
import { commentOnPullRequest } from "./deploying/comment.ts";
import { shownUrl, writeJobOutputs } from "./deploying/job-outputs.ts";
import { checkLimits } from "./deploying/limits.ts";
import { previewAlias } from "./deploying/preview-alias.ts";
import { rememberedSite, rememberSite } from "./deploying/remembered-site.ts";
import { missingStartPage, readSource, refuseSources, type Source, statSource } from "./deploying/source.ts";
import { type UploadRequest, upload } from "./deploying/upload.ts";
import { annotate, markdownOf, summarize } from "./reporting/job-report.ts";
import { reportLines } from "./reporting/print-report.ts";
import { Failure, UsageError } from "./terminal/errors.ts";
import { ProgressBar } from "./terminal/progress.ts";
import { confirm } from "./terminal/prompt.ts";
import type { Environment, Terminal } from "./terminal/terminal.ts";
import { count, formatBytes, formatDuration, formatTime } from "./terminal/units.ts";
import { warn } from "./warn.ts";

interface Options extends ClientOptions, OriginOptions, CheckOptions {
  readonly site?: string;
  readonly private?: boolean;
  readonly public?: boolean;
  readonly force?: boolean;
  /** True without an alias. */
  readonly preview?: string | true;
  readonly expires?: string;
  readonly siteExpires?: string;
  readonly comment?: boolean;
}

export async function deploy(terminal: Terminal, path: string, options: Options): Promise<void> {
  const { preview, expires } = options;
  if (expires !== undefined && preview === undefined) throw new UsageError("--expires needs --preview");
  if (options.private && options.public) throw new UsageError("give either --private or --public");
  const gate = gateOf(options);
  // First, because a missing path has neither a git branch nor a remembered site.
  if ((await statSource(path)).isDirectory() && !options.force) await refuseSources(path);
  const alias = preview === undefined ? null : await previewAlias(preview, path, terminal.env);
  const remembered = options.site === undefined ? await rememberedSite(path) : null;
  const named = options.site ?? remembered;
  const client = await connectToSite(terminal, options, named);
  const chosen = named === null ? await chooseSite(terminal, client, path) : { site: named };
  if (chosen === null) return;
  const { site } = chosen;
  const started = performance.now();
  const source = await readSource(path);
  if (site !== null) checkSite(site);
  await checkLimits(client, source);
  if (source.kind === "files") for (const note of notesOn(path, source)) warn(terminal, note);
  if (options.private && remembered !== null && !(await agreeToPrivacy(terminal, client, remembered))) return;

  const request: Omit<UploadRequest, "content"> = {
    site,
    access: options.private ? "private" : options.public ? "public" : null,
    origin: originOf(options, terminal.env),
    onlyIfChanged: options.force !== true,
    // A deployment that is checked goes live afterwards.
    isPreview: preview !== undefined || gate !== null,
    alias,
    expires: expires ?? null,
    siteExpires: options.siteExpires ?? null,
  };
  const sending = send(terminal, client, source, request);
  const sent = await sending.catch((error) => adviseOnRememberedSite(error, remembered));
  const mayActivate = preview === undefined;
  const checked = gate && (await checkDeployment(terminal, client, sent, { gate, mayActivate }));
  const result = checked?.result ?? sent;
  const found = checked?.report ?? null;
  const took = formatDuration(performance.now() - started);
  await printResult(terminal, client, source, result, { took, json: options.json === true, found });
  await remember(terminal, path, result.site_name);
  await reportToJob(terminal, result, { comment: options.comment === true, found, path, source });
  if (checked?.heldBack) throw checked.heldBack;
}

/** Returns warnings about the files before they are sent. */
function notesOn(path: string, { files, notes }: Extract<Source, { kind: "files" }>): readonly string[] {
  const startPage = files.length > 1 ? missingStartPage(path, files) : null;
  return startPage === null ? notes : [...notes, startPage];
}

/** Checked before sending, because the name travels in a header and not every invalid name can be sent there. */
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

/** More scroll the rest of the output away: `vitrine report` prints all. */
const MAX_SHOWN_FINDINGS = 50;

/** Prints the deployment, the server's warnings about it, and the report if it was checked. */
async function printResult(
  terminal: Terminal,
  client: ApiClient,
  source: Source,
  result: DeployResult,
  { took, json, found }: { readonly took: string; readonly json: boolean; readonly found: DeploymentReport | null },
): Promise<void> {
  const deployment = await findDeployment(client, result);
  const warnings = [...(result.warnings ?? []), ...(deployment?.warnings ?? [])];
  if (json) terminal.json({ ...result, warnings, ...(found && { report: found }) });
  else report(terminal, result, deployment, source, took);
  if (found) for (const line of reportLines(terminal.style, found, MAX_SHOWN_FINDINGS)) terminal.say(line);
  if (result.unchanged) return;
  for (const warning of warnings) {
    // For folders this warning was printed before the upload.
    const isKnown = source.kind === "files" && warning.file === "index.html" && warning.line === 0;
    if (!isKnown) warn(terminal, place(warning) + warning.message);
  }
}

/** If the site was not named on the command line, the advice says which site was used. */
function adviseOnRememberedSite(error: unknown, remembered: string | null): never {
  if (remembered === null || !(error instanceof ApiError) || error.httpStatus !== 403) throw error;
  throw new Failure(error.message, `vitrine.json names the site ${remembered}. Choose another with --site NAME.`);
}

/** Calls `onEnd` once everything is sent and the server processes it. */
async function* withEnd(content: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncGenerator<Uint8Array> {
  yield* content;
  onEnd();
}

/** Warnings are in the deployment's record. If it cannot be read, the deployment still succeeded. */
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
      : `Deployed${size} to ${name} as ${result.active ? "deployment" : "preview"} ${number} in ${took}.`,
  );
  if (!result.active) terminal.say(previewAdvice(result));
  if (result.private) terminal.say("The site is private: only you and its readers can view it.");
  const url = shownUrl(result);
  terminal.data(printable(url));
  const [only] = source.kind === "files" && source.files.length === 1 ? source.files : [];
  if (only && only.path !== "index.html" && isServed(only.path)) {
    terminal.say(`The file is at ${new URL(encodePath(`/${only.path}`), url)}`);
  }
}

function previewAdvice({ site_name: site, alias, deployment_number: number, expires_at }: DeployResult): string {
  const publish = alias ? `promote ${site} ${alias}` : `deployments activate ${site} ${number}`;
  const expiry = expires_at ? `, and the preview expires on ${formatTime(expires_at)}` : "";
  return printable(`The site stays as it is${expiry}. Publish the preview: vitrine ${publish}`);
}

interface JobReport {
  readonly comment: boolean;
  readonly found: DeploymentReport | null;
  readonly path: string;
  readonly source: Source;
}

/** A failure is only printed, because the deployment has succeeded. */
async function reportToJob(
  terminal: Terminal,
  result: DeployResult,
  { comment, found, path, source }: JobReport,
): Promise<void> {
  const failed = (error: unknown) => {
    const { message, advice } = error as Partial<Failure>;
    warn(terminal, [message, advice].filter(Boolean).join(" "));
  };
  await writeJobOutputs(result, terminal.env).catch(failed);
  if (found) {
    await annotate(terminal, found, source.kind === "files" ? path : "").catch(failed);
    await summarize(found, terminal.env).catch(failed);
  }
  if (comment) await commentOnPullRequest(result, terminal.env, found && markdownOf(found)).catch(failed);
}

/** A folder that cannot be written does not fail the deployment. */
async function remember(terminal: Terminal, path: string, site: string): Promise<void> {
  try {
    const file = await rememberSite(path, site);
    if (file) terminal.say(terminal.style.dim(`Saved the site in ${file}.`));
  } catch (error) {
    warn(terminal, `the site could not be saved in vitrine.json: ${(error as Error).message}`);
  }
}

function place({ file, line }: Warning): string {
  if (file === "") return "";
  return line > 0 ? `${file}:${line}: ` : `${file}: `;
}

/**
 * Returns whether a site that was not named may become private. Asks if it is public now, because a command that does
 * not name it would lock its visitors out. Throws UsageError without a terminal.
 */
async function agreeToPrivacy(terminal: Terminal, client: ApiClient, site: string): Promise<boolean> {
  if (!(await mayBePublic(client, site))) return true;
  const question = `${site} is public. Make it private, so that only you and its readers can view it?`;
  return confirm(terminal, question, `Name the site to confirm: --private --site ${site}`);
}

/** A deployment token may not read the access mode; the site is then assumed to be public. */
async function mayBePublic(client: ApiClient, site: string): Promise<boolean> {
  try {
    return !(await client.get<Access>(apiPath`/sites/${site}/access`)).private;
  } catch (error) {
    if (error instanceof ApiError && error.httpStatus === 404) return false;
    if (error instanceof ApiError && error.httpStatus === 403) return true;
    throw error;
  }
}

interface OriginOptions {
  readonly message?: string;
  readonly commit?: string;
  readonly ref?: string;
}

/** Returns the origin of a deployment, from the options or the CI variables of GitHub, Forgejo and GitLab. */
function originOf({ message, commit, ref }: OriginOptions, env: Environment): DeploymentOrigin {
  return {
    message: subjectOf(message),
    commit: commit ?? (env.GITHUB_SHA || env.CI_COMMIT_SHA || null),
    ref: ref ?? (env.GITHUB_REF || env.CI_COMMIT_REF_NAME || null),
  };
}

/** The message of a commit is usually given whole; the history shows its first line. */
function subjectOf(message: string | undefined): string | null {
  return message?.trim().split(/\r?\n/)[0] || null;
}
