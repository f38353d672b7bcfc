import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CreatedShare, Share } from "../../../api/types.ts";
import { Copyable } from "../../../parts/basics.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { lazy } from "../../../parts/lazy.tsx";
import { SecretCard } from "./secret-card.tsx";

/** A new share with its secret. */
export interface ShareWithSecret extends CreatedShare {
  readonly kind: Share["kind"];
  readonly label: string;
  /** A description of what it opens. */
  readonly opens: string;
}

const QrCode = lazy<{ text: string }>(async () => (await import("./qr-code.tsx")).QrCode);

export function NewShareCard({ share, dismiss }: { share: ShareWithSecret; dismiss: () => void }): JSX.Element {
  const { label, opens, kind } = share;
  const [isQrShown, setQrShown] = useState(false);
  return (
    <SecretCard
      name={`share ${label}`}
      actions={
        share.url !== undefined && (
          <button type="button" class="button small" aria-expanded={isQrShown} onClick={() => setQrShown(!isQrShown)}>
            <Icon name="qr" /> QR code
          </button>
        )
      }
      dismiss={dismiss}
    >
      <p>
        <span class="good">
          <Icon name="check" />
        </span>{" "}
        {WHO[kind]} can see <strong>{opens}</strong>. {ADVICE[kind]}
      </p>
      {share.url !== undefined && <Copyable text={share.url} label="the link" />}
      {share.secret !== undefined && (
        <>
          <Copyable text={share.secret} label="the token" />
          <p class="muted small">
            Send it with each request as <code>Authorization: Bearer vtv_…</code>. It does not work in a URL.
          </p>
        </>
      )}
      {isQrShown && share.url !== undefined && <QrCode text={share.url} />}
    </SecretCard>
  );
}

const WHO: Readonly<Record<Share["kind"], string>> = {
  link: "Everybody with this link",
  password: "Everybody with this link and the password",
  automation: "Every program with this token",
};

const ADVICE: Readonly<Record<Share["kind"], string>> = {
  link: "Copy the link now: it is shown only once.",
  password: "Send the link and the password by different ways.",
  automation: "Copy the token now: it is shown only once.",
};
