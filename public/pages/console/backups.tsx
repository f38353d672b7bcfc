import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call, download } from "../../api/client.ts";
import { useReloads } from "../../api/reloads.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { Backup, BackupList } from "../../api/types.ts";
import { formatBytes, formatMoment, sentence } from "../../format.ts";
import { Ago, Copyable, Due, EmptyFace, Head, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Card } from "../../parts/card.tsx";
import { CloseAction, Confirm, Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Menu, MenuItem, MenuLine } from "../../parts/menu.tsx";
import { useRecentSignIn } from "../../parts/recent-sign-in.tsx";
import { Meter, RunState } from "../../parts/status.tsx";
import { announce, attempt } from "../../parts/toasts.tsx";
import { consolePath } from "../../router.ts";
import { addedText, backupNote, restoreCommand, scheduleText } from "./backup-words.ts";

const PATH = "/admin/backups";
/** The number of backups in the overview. */
const FEW = 5;
/** Reload interval while a backup or verification is running. */
const PACE_MS = 1500;

/** The schedule and the newest backups, and a link to all of them. */
export function BackupsCard(): JSX.Element {
  const backups = useResource<BackupList>(PATH);
  const tools = useBackupTools(backups);
  const all = backups.data?.backups ?? [];
  return (
    <Card title="Backups" actions={tools.button} foot={all.length > 0 ? <Foot backups={all} /> : undefined}>
      <BackupBody backups={backups} tools={tools} most={FEW} />
      {tools.dialog}
    </Card>
  );
}

export function BackupsTab(): JSX.Element {
  const backups = useResource<BackupList>(PATH);
  const tools = useBackupTools(backups);
  return (
    <>
      <Head title="Backups">{tools.button}</Head>
      <div class="card">
        <BackupBody backups={backups} tools={tools} most={Number.POSITIVE_INFINITY} />
      </div>
      {tools.dialog}
    </>
  );
}

// --- internal ---

type Tools = ReturnType<typeof useBackupTools>;

interface Chosen {
  readonly what: "delete" | "restore";
  readonly backup: Backup;
}

/** The operations on backups, and their dialogs. */
function useBackupTools({ data, reload }: Resource<BackupList>) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [verifying, setVerifying] = useState<Readonly<Record<string, string | null>>>({});
  const [recently, confirmPassword] = useRecentSignIn();
  const isRunning = data?.backups.some(({ state }) => state === "running") ?? false;
  const isVerifying = ({ id, verified_at, error }: Backup) =>
    id in verifying && verifying[id] === `${verified_at} ${error}`;
  useReloads(isRunning || (data?.backups.some(isVerifying) ?? false), reload, PACE_MS);

  const start = async () => {
    if (isRunning) return;
    const started = await attempt(() => recently(() => call("POST", PATH)));
    await reload();
    if (started) announce("The backup has begun.");
  };
  const verify = async (backup: Backup) => {
    const before = `${backup.verified_at} ${backup.error}`;
    if (await attempt(() => call("POST", `${PATH}/${backup.id}/verify`))) {
      setVerifying((others) => ({ ...others, [backup.id]: before }));
    }
  };
  return {
    isVerifying,
    shownError: data?.schedule?.last_error ?? null,
    verify,
    download: ({ id }: Backup) => attempt(() => recently(() => download(`${PATH}/${id}/archive`))),
    choose: setChosen,
    button: (
      <button type="button" class="button small" aria-disabled={isRunning} onClick={start}>
        Back up now
      </button>
    ),
    dialog: (
      <>
        <ChosenDialog
          chosen={chosen}
          to={data?.schedule?.to ?? null}
          remove={({ id }) => recently(() => call("DELETE", `${PATH}/${id}`)).then(reload)}
          onClose={() => setChosen(null)}
        />
        {confirmPassword}
      </>
    ),
  };
}

function BackupBody({
  backups,
  tools,
  most,
}: {
  backups: Resource<BackupList>;
  tools: Tools;
  most: number;
}): JSX.Element {
  return (
    <Loaded resource={backups} what="the backups" skeleton={<SkeletonRows rows={FEW} />}>
      {(data) => (
        <>
          {data.schedule && <Schedule schedule={data.schedule} />}
          {data.schedule === null && data.backups.length > 0 && <NotScheduled />}
          {data.backups.length === 0 ? (
            <NoBackups isScheduled={data.schedule !== null} />
          ) : (
            <ul class="list brief">
              {data.backups.slice(0, most).map((backup) => (
                <BackupRow key={backup.id} backup={backup} tools={tools} />
              ))}
            </ul>
          )}
        </>
      )}
    </Loaded>
  );
}

function Schedule({ schedule }: { schedule: NonNullable<BackupList["schedule"]> }): JSX.Element {
  const { to, next_at, last_error } = schedule;
  return (
    <div class="schedule">
      <span class={last_error === null ? "empty-icon" : "empty-icon bad"}>
        <Icon name={last_error === null ? "archive" : "warning"} />
      </span>
      <div class="grow">
        <p class="strong">{scheduleText(schedule)}</p>
        <p class="small muted cut" title={to}>
          <code>{to}</code>
        </p>
      </div>
      <p class="num small">
        <span class="strong">{next_at === null ? "now" : <Due at={next_at} />}</span>
        <span class="tiny muted block">{last_error === null ? "next backup" : "next attempt"}</span>
      </p>
      {last_error !== null && <p class="small bad">{sentence(last_error)}</p>}
    </div>
  );
}

function NotScheduled(): JSX.Element {
  return (
    <div class="schedule">
      <span class="empty-icon">
        <Icon name="archive" />
      </span>
      <div class="grow">
        <p class="strong">Only on request</p>
        <p class="small muted">
          Backups are stored in the data folder. To make them daily elsewhere, add <code>backup-to = "…"</code> to
          vitrine.toml and restart.
        </p>
      </div>
    </div>
  );
}

function NoBackups({ isScheduled }: { isScheduled: boolean }): JSX.Element {
  return (
    <EmptyFace icon="archive" title="No backups yet">
      <p>
        {isScheduled
          ? "The first one begins within a minute."
          : 'None are scheduled. Add backup-to = "…" to vitrine.toml and restart; until then, backups are stored in the data folder.'}
      </p>
    </EmptyFace>
  );
}

function BackupRow({ backup, tools }: { backup: Backup; tools: Tools }): JSX.Element {
  const note = backupNote(backup, tools.isVerifying(backup), tools.shownError);
  const time = formatMoment(backup.created_at);
  return (
    <li>
      <RunState state={note?.bad ? "failed" : backup.state} />
      <div class="grow">
        <p class="strong">{time}</p>
        {note ? (
          <p class={note.bad ? "tiny bad" : "tiny muted"}>{note.text}</p>
        ) : (
          <p class="tiny muted">
            {backup.verified_at === null ? (
              "Not verified yet"
            ) : (
              <>
                Verified <Ago at={backup.verified_at} />
              </>
            )}
          </p>
        )}
        {backup.state === "running" && <Meter share={backup.progress} />}
      </div>
      <p class="num small muted">{addedText(backup)}</p>
      <BackupMenu backup={backup} time={time} tools={tools} />
    </li>
  );
}

function BackupMenu({ backup, time, tools }: { backup: Backup; time: string; tools: Tools }): JSX.Element {
  const isComplete = backup.state === "done";
  return (
    <Menu label={`Actions for the backup of ${time}`} class="button quiet small only" button={<Icon name="dots" />}>
      {isComplete && (
        <>
          <MenuItem icon="download" onClick={() => void tools.download(backup)}>
            Download
          </MenuItem>
          <MenuItem icon="shield" onClick={() => void tools.verify(backup)}>
            Verify
          </MenuItem>
          <MenuItem icon="undo" onClick={() => tools.choose({ what: "restore", backup })}>
            How to restore
          </MenuItem>
          <MenuLine />
        </>
      )}
      <MenuItem
        icon="trash"
        risky
        disabled={backup.state === "running"}
        onClick={() => tools.choose({ what: "delete", backup })}
      >
        Delete…
      </MenuItem>
    </Menu>
  );
}

function Foot({ backups }: { backups: readonly Backup[] }): JSX.Element {
  const bytes = backups.reduce((sum, { state, bytes: added }) => sum + (state === "done" ? added : 0), 0);
  return (
    <>
      <a href={consolePath("backups")}>{backups.length === 1 ? "1 backup" : `All ${backups.length} backups`}</a>
      <span class="grow" />
      {formatBytes(bytes)} added
    </>
  );
}

function ChosenDialog(props: {
  chosen: Chosen | null;
  to: string | null;
  remove: (backup: Backup) => Promise<void>;
  onClose: () => void;
}): JSX.Element | null {
  const { chosen, to, remove, onClose } = props;
  if (chosen === null) return null;
  const { what, backup } = chosen;
  const time = formatMoment(backup.created_at);
  if (what === "restore") return <HowToRestore backup={backup} time={time} to={to} onClose={onClose} />;
  return (
    <Confirm
      title={`Delete the backup of ${time}?`}
      action="Delete backup"
      onConfirm={async () => {
        await remove(backup);
        announce("The backup was deleted.");
        onClose();
      }}
      onClose={onClose}
    >
      <p class="muted">Other backups stay complete. What only this one has cannot be restored any more.</p>
    </Confirm>
  );
}

function HowToRestore(props: { backup: Backup; time: string; to: string | null; onClose: () => void }): JSX.Element {
  const { backup, time, to, onClose } = props;
  return (
    <Dialog title={`Restore the backup of ${time}`} onClose={onClose}>
      <div class="form">
        <p class="muted">
          Stop the server and run this on its machine. What the data folder held before is kept in a folder below it.
        </p>
        <Copyable text={`${restoreCommand(to ?? "DATA/backups", backup.id)} --replace`} label="the command" block />
        {to?.startsWith("s3://") && (
          <p class="muted">
            The keys are read from <code>VITRINE_S3_ACCESS_KEY_ID</code> and <code>VITRINE_S3_SECRET_ACCESS_KEY</code>.
          </p>
        )}
        <CloseAction name="Done" primary onClose={onClose} />
      </div>
    </Dialog>
  );
}
