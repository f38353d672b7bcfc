import { BoundedMemo } from "../domain/bounded-memo.ts";
import { isServed } from "../domain/deployments/clean-urls.ts";
import { type ExplainVisit, NEVER_SERVED, STEPS, type Step } from "../domain/deployments/visit-explanation.ts";
import type { Visitor } from "../domain/ports/connection.ts";
import { decodePath } from "../domain/request-target.ts";
import { plainPageFields } from "./answer-headers.ts";
import { fileAnswer, headerRulesOf, type Making, resolveVisit } from "./answers.ts";
import type { Bodies } from "./bodies.ts";
import type { CompiledManifest } from "./compiled-manifest.ts";
import type { ServedDeployments } from "./deployments.ts";
import type { FindFormerFile } from "./former-files.ts";
import { type ErrorStatus, errorPage } from "./pages/error-page.ts";
import type { HostingOptions } from "./ports.ts";
import { redirect } from "./redirect.ts";
import type { Resolution } from "./resolve.ts";
import { wholeHeaders } from "./respond.ts";
import type { SiteForHost } from "./site-for-host.ts";
import { SiteVisit } from "./site-visit.ts";

/** What a visit would meet that is only explained. */
interface ExplainedWay {
  readonly siteForHost: SiteForHost;
  readonly deployments: ServedDeployments;
  readonly findFormerFile: FindFormerFile;
  readonly bodies: Bodies;
}

/** Returns the explanation of visits: the way that a visit takes, but for the gate, the content and the count. */
export function makeExplainVisit(
  { siteForHost, deployments, findFormerFile, bodies }: ExplainedWay,
  { scheme }: Pick<HostingOptions, "scheme">,
): ExplainVisit {
  return async (url) => {
    const route = await siteForHost(new URL(url).hostname);
    const deployment = route && (await deployments.load(route));
    if (!deployment) return null;
    const visit = new SiteVisit(new Request(url), NOBODY, route);
    const resolution = resolveVisit(deployment, findFormerFile, visit);
    const isFile = resolution.kind === "file";
    return {
      url,
      deploymentNumber: route.deploymentNumber,
      private: route.private,
      frozen: route.frozen,
      status: resolution.status,
      step: resolution.step,
      reason: reasonOf(resolution.step, visit.path),
      file: isFile ? resolution.file.path : null,
      rule: resolution.rule,
      headerLines: headerRulesOf(deployment, visit).map(({ line }) => line),
      headers: Object.fromEntries(fields({ bodies, deployment, visit, scheme }, resolution)),
    };
  };
}

// --- internal ---

/** Nothing that is explained depends on who asks. */
const NOBODY: Visitor = { address: "", secure: false, isMultiplexed: false, holdMemory: () => true };

function reasonOf(step: Step, path: string): string {
  const isFound = step !== "not_found" && step !== "single_page";
  return isFound || isServed((decodePath(path) as string).slice(1)) ? STEPS[step] : `${STEPS[step]}; ${NEVER_SERVED}`;
}

interface Explained {
  readonly bodies: Bodies;
  readonly deployment: CompiledManifest;
  readonly visit: SiteVisit;
  readonly scheme: string;
}

function fields({ bodies, deployment, visit, scheme }: Explained, resolution: Resolution): Headers {
  if (resolution.kind === "file") {
    const making: Making = { scheme, generation: 0, shared: new BoundedMemo(1) };
    return wholeHeaders(bodies, fileAnswer(deployment, visit, resolution, making).identity);
  }
  const headerRules = headerRulesOf(deployment, visit);
  if (resolution.kind === "redirect") return redirect(visit.route, { ...resolution, headerRules }).headers;
  const { status } = resolution;
  return errorPage(visit.request, status as ErrorStatus, visit.route, plainPageFields(headerRules)).headers;
}
