import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { holdPage, messageOf } from "../api/client.ts";
import { Dialog, Problem } from "../parts/dialog.tsx";
import { forgetKept } from "../parts/kept.ts";
import { complain } from "../parts/toasts.tsx";
import type { Reading, Upload } from "./collect.ts";
import { type DeployRequest, useDropped } from "./request.ts";
import { draftKey, mayProtect, type Plan, Review, usePlan } from "./review.tsx";
import { deploy, type Progress } from "./send.ts";
import { Done, Picker, ProgressBar, ReadingFolder } from "./steps.tsx";

type Published = Awaited<ReturnType<typeof deploy>>;

/** The steps of a deployment: choose files, review, progress, result. */
export function DeployDialog({ request, onClose }: { request: DeployRequest; onClose: () => void }): JSX.Element {
  const [reading, setReading] = useState<Reading | null>(request.dropped);
  const [upload, setUpload] = useState<Upload | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [published, setPublished] = useState<Published | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const plan = usePlan(request.site, upload);
  const running = useRef<AbortController | null>(null);
  useWarningBeforeLeaving(progress !== null);
  // Leaving for the sign-in page would lose the chosen files.
  useLayoutEffect(holdPage, []);

  const start = async () => {
    if (!upload || running.current) return;
    const { name: siteName, draft, target } = plan;
    const wish = {
      upload,
      siteName,
      makePrivate: draft.makePrivate && mayProtect(target),
      mustBeNew: request.site === null && target.kind === "create",
    };
    const abort = new AbortController();
    running.current = abort;
    setProblem(null);
    setProgress({ step: "preparing", share: null });
    try {
      setPublished(await deploy(wish, setProgress, abort.signal));
    } catch (error) {
      if (!abort.signal.aborted) setProblem(messageOf(error));
    }
    running.current = null;
    setProgress(null);
  };
  const pick = (picked: Upload | null) => {
    setUpload(picked);
    setProblem(picked === null ? "It contains no files." : null);
  };
  useEffect(() => {
    if (!reading) return;
    let stopped = false;
    const end = (then: () => void) => {
      if (stopped) return;
      setReading(null);
      then();
    };
    reading.upload.then(
      (read) => end(() => pick(read)),
      (error: unknown) => end(() => setProblem(messageOf(error))),
    );
    return () => {
      stopped = true;
      reading.stop();
    };
  }, [reading]);
  useDropped((dropped) => {
    if (running.current) {
      dropped.stop();
      return complain("Another deployment is running. Drop the files again when it is done.");
    }
    forget();
    setPublished(null);
    setProblem(null);
    setReading(dropped);
  });

  const forget = () => {
    if (upload) forgetKept(draftKey(request.site, upload));
  };
  const back = () => {
    running.current?.abort();
    forget();
    setUpload(null);
  };
  const close = () => {
    running.current?.abort();
    forget();
    onClose();
  };

  return (
    <Dialog title={titleOf(request, plan, published)} closable={progress === null} onClose={close}>
      {/* There from the start: a region that comes together with its text is not announced. */}
      <p class="visually-hidden" role="status">
        {published && titleOf(request, plan, published)}
      </p>
      <Problem text={problem} />
      {reading ? (
        <ReadingFolder reading={reading} cancel={close} />
      ) : published ? (
        <Done published={published} onClose={close} />
      ) : progress ? (
        <ProgressBar progress={progress} cancel={() => running.current?.abort()} />
      ) : upload ? (
        <Review upload={upload} site={request.site} plan={plan} start={start} back={back} />
      ) : (
        <Picker pick={pick} onClose={close} />
      )}
    </Dialog>
  );
}

function titleOf({ site }: DeployRequest, { name, target }: Plan, published: Published | null): string {
  if (published) return `${published.site_name} is live`;
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
