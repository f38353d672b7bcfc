import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isUnreachable } from "../api/client.ts";
import type { Resource } from "../api/resource.ts";
import { formatDue, formatMoment, formatRelative } from "../format.ts";
import { SITES } from "../router.ts";
import { ActionButton } from "./action-button.tsx";
import { Icon, type IconName } from "./icons.tsx";
import { announce, attempt } from "./toasts.tsx";

let isFirstPage = true;

/**
 * A page with a heading, which gets the focus after navigation, so that a screen reader announces the page. `tabs` are its
 * `TopTabs`.
 */
export function Page(props: { title: string; tabs?: ComponentChildren; children: ComponentChildren }): JSX.Element {
  const { title } = props;
  const main = useRef<HTMLElement>(null);
  // Before anything is painted, so that no focus is taken from somebody who was quick.
  useLayoutEffect(() => {
    document.title = title === "Vitrine" ? title : `${title} · Vitrine`;
    if (!isFirstPage) main.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    isFirstPage = false;
  }, [title]);
  return (
    <>
      {props.tabs}
      <main class="page" id="main" ref={main}>
        {props.children}
      </main>
    </>
  );
}

/** The heading of a page, with a description below it. The children are at its end. */
export function Head(props: { title: string; about?: ComponentChildren; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="head">
      <div class="grow">
        <h1 tabIndex={-1}>{props.title}</h1>
        {props.about}
      </div>
      {props.children}
    </div>
  );
}

/** A past time relative to now. */
export function Ago({ at }: { at: string }): JSX.Element {
  return <Moment at={at} format={formatRelative} />;
}

/** A future time relative to now. */
export function Due({ at }: { at: string }): JSX.Element {
  return <Moment at={at} format={formatDue} />;
}

/** Updated regularly, with the exact time as a title. */
function Moment({ at, format }: { at: string; format: (at: string, now: number) => string }): JSX.Element {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={formatMoment(at)}>
      {format(at, now)}
    </time>
  );
}

/** The error message of a component; null for an outage, which the banner reports. */
function problemHere({ error }: Resource<unknown>): Resource<unknown>["error"] {
  return error && isUnreachable(error) ? undefined : error;
}

/** Shows the data, or a loading or error state. */
export function Loaded<T>(props: {
  resource: Resource<T>;
  /** A placeholder in the shape of the data, to avoid layout shifts. */
  skeleton: ComponentChildren;
  what: string;
  children: (data: T) => ComponentChildren;
}): JSX.Element {
  const { data, reload } = props.resource;
  const error = problemHere(props.resource);
  if (data !== undefined) {
    return (
      <>
        {error && <Failure text={`Could not refresh ${props.what}. ${error.detail}`} retry={reload} />}
        {props.children(data)}
      </>
    );
  }
  if (error) return <ErrorFace what={props.what} detail={error.detail} retry={reload} />;
  return (
    <div aria-busy="true">
      <span class="visually-hidden" role="status">
        Loading {props.what}
      </span>
      {props.skeleton}
    </div>
  );
}

function ErrorFace(props: { what: string; detail: string; retry: () => Promise<void> }): JSX.Element {
  return (
    <div class="empty" role="alert">
      <h2>Could not load {props.what}</h2>
      <p>{props.detail}</p>
      <div class="actions">
        <Retry retry={props.retry} />
      </div>
    </div>
  );
}

/** The error state of a single line; nothing while it loads or after it has loaded. */
export function NotLoaded({ resource, what }: { resource: Resource<unknown>; what: string }): JSX.Element | null {
  const { data, reload } = resource;
  const error = problemHere(resource);
  return data === undefined && error ? (
    <Failure text={`Could not load ${what}. ${error.detail}`} retry={reload} />
  ) : null;
}

function Failure({ text, retry }: { text: string; retry: () => Promise<void> }): JSX.Element {
  return (
    <div class="notice error failure" role="alert">
      <p>{text}</p>
      <Retry retry={retry} />
    </div>
  );
}

function Retry({ retry }: { retry: () => Promise<void> }): JSX.Element {
  return <ActionButton run={retry}>Try again</ActionButton>;
}

export function EmptyFace(props: { icon: IconName; title: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={props.icon} />
      </span>
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

/** A link for a page that cannot be shown. */
export function SitesLink(): JSX.Element {
  return (
    <div class="actions">
      <a class="button" href={SITES}>
        Go to your sites
      </a>
    </div>
  );
}

/** A skeleton of a list, with rows as high as those of a table. */
export function SkeletonRows({ rows }: { rows: number }): JSX.Element {
  return (
    <ul class="card list tall-rows" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <li key={row}>
          <span class="bone" style={{ width: `${9 + ((row * 5) % 7)}rem` }} />
        </li>
      ))}
    </ul>
  );
}

/** Text with a copy button. `label` names it. */
export function Copyable(props: { text: string; label: string; block?: boolean }): JSX.Element {
  return (
    <div class={props.block ? "code" : "code one-line"}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <code tabIndex={0}>{props.text}</code>
      <CopyButton text={props.text} label={props.label} />
    </div>
  );
}

export function CopyButton({ text, label }: { text: string; label: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    setCopied(await attempt(() => copyText(text)));
  };
  return (
    <button type="button" class="copy" title={`Copy ${label}`} onClick={copy}>
      <Icon name={copied ? "check" : "copy"} />
      <span class="visually-hidden" aria-live="polite">
        {copied ? "Copied" : `Copy ${label}`}
      </span>
    </button>
  );
}

/** Copies the URL of a site or a deployment, and says so. */
export async function copyUrl(url: string): Promise<void> {
  if (await attempt(() => copyText(url))) announce("The URL was copied.");
}

const NOT_COPIED = "The browser did not allow copying. Select the text and copy it manually.";

/**
 * Copies the text, or throws if the browser refuses. The Clipboard API exists only with HTTPS and on localhost; copying
 * a selection works everywhere.
 */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).catch(() => {
      throw new Error(NOT_COPIED);
    });
  }
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  // Everything outside an open dialog is inert and cannot be selected.
  (focused?.closest("dialog") ?? document.body).append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  if (!copied) throw new Error(NOT_COPIED);
}
