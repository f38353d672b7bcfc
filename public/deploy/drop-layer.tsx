import type { JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { useResource } from "../api/resource.ts";
import type { Site } from "../api/types.ts";
import { Icon } from "../parts/icons.tsx";
import { complain } from "../parts/toasts.tsx";
import { readDrop } from "./collect.ts";
import { dropRefusal } from "./drop-refusal.ts";
import { requestDeploy } from "./request.ts";

/** Accepts a folder or a ZIP that is dropped anywhere on the page. */
export function DropLayer({ site }: { site: string | null }): JSX.Element | null {
  const [over, setOver] = useState(false);
  const refusal = dropRefusal(site, useResource<Site[]>("/sites").data);
  // A layout effect, so that drops work as soon as the page is visible.
  useLayoutEffect(() => {
    // Entering a child fires before leaving its parent, so that a counter is needed to detect leaving the page.
    let depth = 0;
    const move = (by: number) => (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      depth += by;
      setOver(depth > 0);
    };
    const handlers = {
      dragenter: move(1),
      dragleave: move(-1),
      dragover: (event: DragEvent) => {
        if (carriesFiles(event)) event.preventDefault();
      },
      drop: (event: DragEvent) => {
        if (!carriesFiles(event) || !event.dataTransfer) return;
        event.preventDefault();
        depth = 0;
        setOver(false);
        if (refusal === null) requestDeploy({ site, dropped: readDrop(event.dataTransfer) });
        else complain(refusal);
      },
    };
    for (const [name, handler] of Object.entries(handlers)) addEventListener(name, handler as EventListener);
    return () => {
      for (const [name, handler] of Object.entries(handlers)) removeEventListener(name, handler as EventListener);
    };
  }, [site, refusal]);
  if (!over) return null;
  return (
    <div class="drop-layer" role="status">
      <div class="drop-target">
        <Icon name={refusal === null ? "upload" : "x"} size={28} />
        <strong>{refusal ?? (site === null ? "Drop to create a site" : `Drop to deploy to ${site}`)}</strong>
        {refusal === null && <span>A folder, a ZIP or an HTML file</span>}
      </div>
    </div>
  );
}

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}
