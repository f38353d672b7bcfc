import type { ExplainVisit } from "../domain/deployments/visit-explanation.ts";
import { HOT_BYTES } from "./answer.ts";
import { makeAnswers } from "./answers.ts";
import { makeBodies } from "./bodies.ts";
import { makeContentFor } from "./content-for.ts";
import { makeServedDeployments } from "./deployments.ts";
import { makeExplainVisit } from "./explain-visit.ts";
import { makeFindFormerFile } from "./former-files.ts";
import type { HostingOptions, HostingPorts } from "./ports.ts";
import { makeRespondWithFile } from "./respond.ts";
import { makeServe, type Serve } from "./serve.ts";
import { makeSiteForHost, type SiteForHost } from "./site-for-host.ts";

/** Everything that one thread knows of hosted sites, over one memory. */
export interface Hosting {
  readonly serve: Serve;
  readonly explain: ExplainVisit;
  readonly siteForHost: SiteForHost;
}

/**
 * Of the memory for hot content so much is left free, for what was dropped and not yet collected, and for what allocators
 * keep: a fifth, but no more than that is of 64 MiB. Measured with 64 and 256 MiB under a hundred thousand files drawn by
 * Zipf's law.
 */
const FREE_SHARE = 0.2;
const MAX_FREE = 12 * 1024 * 1024;

/**
 * How that is shared out among content, prepared answers, rules, and former files that are none: under that load another megabyte saves about as
 * much as content as it does as answers, of which it holds three times as many.
 */
const CONTENT_SHARE = 0.55;
const ANSWER_SHARE = 0.4;
const RULES_SHARE = 0.04;
const FORMER_SHARE = 0.01;

/** Returns hosting with a memory of `cacheBytes` for hot content. */
export function makeHosting(ports: HostingPorts, options: HostingOptions): Hosting {
  // What hot pages keep comes off first, up to half: a cache that is hardly larger still holds something else.
  const room = Math.max(options.cacheBytes / 2, options.cacheBytes - HOT_BYTES);
  const memory = room - Math.min(room * FREE_SHARE, MAX_FREE);
  const siteForHost = makeSiteForHost(ports, options);
  const deployments = makeServedDeployments(ports, memory * RULES_SHARE);
  const findFormerFile = makeFindFormerFile(ports, memory * FORMER_SHARE);
  const answers = makeAnswers(
    { deployments, findFormerFile, files: ports.store.files },
    options,
    memory * ANSWER_SHARE,
  );
  const bodies = makeBodies(ports.content, memory * CONTENT_SHARE);
  const respondWithFile = makeRespondWithFile({
    bodies,
    contentFor: makeContentFor(bodies, ports.report),
    views: ports.views,
  });
  return {
    siteForHost,
    serve: makeServe(ports, { siteForHost, answers, respondWithFile }),
    explain: makeExplainVisit({ siteForHost, deployments, findFormerFile, bodies }, options),
  };
}
