import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/icons.tsx";
import { announce, attempt } from "../parts/toasts.tsx";
import { collectDrop } from "./collect.ts";
import { requestDeploy } from "./request.ts";

/** Takes a folder or a ZIP that is dropped anywhere on the page. */
export function DropLayer({ site }: { site: string | null }): JSX.Element | null {
  const [over, setOver] = useState(false);
  useEffect(() => {
    // Entering a child fires before leaving its parent: only a count of both knows when the page is left.
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
        void attempt(() => take(event.dataTransfer as DataTransfer, site));
      },
    };
    for (const [name, handler] of Object.entries(handlers)) addEventListener(name, handler as EventListener);
    return () => {
      for (const [name, handler] of Object.entries(handlers)) removeEventListener(name, handler as EventListener);
    };
  }, [site]);
  if (!over) return null;
  return (
    <div class="drop-layer">
      <div class="drop-target">
        <Icon name="upload" size={28} />
        <strong>{site === null ? "Drop to make a site" : `Drop to deploy to ${site}`}</strong>
        <span>a folder, a ZIP, or a page</span>
      </div>
    </div>
  );
}

async function take(transfer: DataTransfer, site: string | null): Promise<void> {
  const upload = await collectDrop(transfer);
  if (upload) requestDeploy({ site, upload });
  else announce("There was no file in what you dropped.");
}

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}
