import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { holdPage, messageOf } from "../api/client.ts";
import { Dialog, Problem } from "../parts/dialog.tsx";
import { forgetKept } from "../parts/kept.ts";
import { complain } from "../parts/toasts.tsx";
import type { Reading, Upload } from "./collect.ts";
import { type DeployRequest, useDropped } from "./request.ts";
import { draftKey, type Plan, Review, usePlan } from "./review.tsx";
import { deploy, type PlannedDeployment, type Progress } from "./send.ts";
import { Done, Picker, ProgressBar, ReadingFolder } from "./steps.tsx";

type Published = Awaited<ReturnType<typeof deploy>>;

/** The steps of a deployment: choose files, review, progress, result. */
export function DeployDialog({ request, onClose }: { request: DeployRequest; onClose: () => void }): JSX.Element {
  const [upload, setUpload] = useState<Upload | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const plan = usePlan(request.site, upload);
  const publication = usePublication(setProblem);
  const { progress, published } = publication;
  const pick = (picked: Upload | null) => {
    setUpload(picked);
    setProblem(picked === null ? "It contains no files." : null);
  };
  const [reading, read] = useReading(request.dropped, pick, setProblem);
  // Leaving for the sign-in page would lose the chosen files.
  useLayoutEffect(holdPage, []);
  useDropped((dropped) => {
    if (publication.isRunning()) {
      dropped.stop();
      return complain("Another deployment is running. Drop the files again when it is done.");
    }
    forget();
    publication.reset();
    setProblem(null);
    read(dropped);
  });

  const start = () => {
    if (upload) void publication.start(deploymentOf(request, upload, plan));
  };
  const forget = () => {
    if (upload) forgetKept(draftKey(request.site, upload));
  };
  const endWith = (then: () => void) => () => {
    publication.abort();
    forget();
    then();
  };
  const back = endWith(() => setUpload(null));
  const close = endWith(onClose);
  const title = titleOf(request, plan, published);
  return (
    <Dialog title={title} closable={progress === null} onClose={close}>
      {/* There from the start: a region that comes together with its text is not announced. */}
      <p class="visually-hidden" role="status">
        {published && title}
      </p>
      <Problem text={problem} />
      {reading ? (
        <ReadingFolder reading={reading} cancel={close} />
      ) : published ? (
        <Done published={published} onClose={close} />
      ) : progress ? (
        <ProgressBar progress={progress} cancel={publication.abort} />
      ) : upload ? (
        <Review upload={upload} site={request.site} plan={plan} start={start} back={back} />
      ) : (
        <Picker pick={pick} onClose={close} />
      )}
    </Dialog>
  );
}

function deploymentOf(
  { site }: DeployRequest,
  upload: Upload,
  { name, draft, target, access }: Plan,
): PlannedDeployment {
  return {
    upload,
    siteName: name,
    access,
    message: draft.message,
    preview: draft.isPreview ? { alias: draft.alias, lifetime: draft.lifetime } : null,
    mustBeNew: site === null && target.kind === "create",
  };
}

type Fail = (problem: string | null) => void;

/** Uploads and publishes, one deployment at a time. A hook. */
function usePublication(fail: Fail) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const [published, setPublished] = useState<Published | null>(null);
  const running = useRef<AbortController | null>(null);
  useWarningBeforeLeaving(progress !== null);
  const start = async (planned: PlannedDeployment) => {
    if (running.current) return;
    const abort = new AbortController();
    running.current = abort;
    fail(null);
    setProgress({ step: "preparing", share: null });
    try {
      setPublished(await deploy(planned, setProgress, abort.signal));
    } catch (error) {
      if (!abort.signal.aborted) fail(messageOf(error));
    }
    running.current = null;
    setProgress(null);
  };
  return {
    progress,
    published,
    start,
    isRunning: () => running.current !== null,
    abort: () => running.current?.abort(),
    reset: () => setPublished(null),
  };
}

/**
 * Reads dropped files. Returns the reading, null when it has ended, and a function that starts another one instead. A
 * hook.
 */
function useReading(
  dropped: Reading | null,
  pick: (upload: Upload | null) => void,
  fail: Fail,
): [Reading | null, (reading: Reading) => void] {
  const [reading, setReading] = useState(dropped);
  useEffect(() => {
    if (!reading) return;
    let stopped = false;
    const end = (then: () => void) => {
      if (stopped) return;
      setReading(null);
      then();
    };
    reading.upload.then(
      (upload) => end(() => pick(upload)),
      (error: unknown) => end(() => fail(messageOf(error))),
    );
    return () => {
      stopped = true;
      reading.stop();
    };
  }, [reading]);
  return [reading, setReading];
}

function titleOf({ site }: DeployRequest, { name, target }: Plan, published: Published | null): string {
  if (published) {
    const { site_name: name, deployment_number: number } = published;
    return published.active ? `${name} is live` : `Preview ${number} of ${name} is ready`;
  }
  if (site !== null) return `Deploy to ${site}`;
  return target.kind === "update" ? `Update ${name}` : "New site";
}

/** Closing the page aborts the upload, so the browser must ask first. */
function useWarningBeforeLeaving(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [active]);
}
