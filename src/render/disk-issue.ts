/** The issue about a cluster's disks: short workers, causes, possible approvals, results, and the answer in a run's own thread. */

import type { FullDisk } from '../care/disk/scan-record.ts';
import { type ActionRecord, type ChangeStep, type ChangeStepKind, describeTarget } from '../domain/actions/action.ts';
import type { CleanupState, ClusterDisks, DiskFinding, RecordedScan, ScannedWorker } from '../domain/care/machines.ts';
import { limits } from '../domain/limits.ts';
import { type Marker, SEAL_CHARACTERS_MAX } from '../domain/marker.ts';
import { formatNumber, toRfc3339 } from '../domain/values.ts';
import { renderEnding } from './action.ts';
import {
  approveLine,
  bullets,
  code,
  comment,
  count,
  fenced,
  folded,
  paragraphs,
  person,
  shortDigest,
  table,
  text,
  utc,
} from './words.ts';

type Place = Pick<RecordedScan, 'mountPoint'>;

/** Why a worker is short of disk space, for its row. */
export const FINDING_WORDS: Readonly<Record<DiskFinding, (worker: ScannedWorker, place: Place) => string>> = {
  'mount-missing': (worker, { mountPoint }) =>
    `nothing is mounted on ${code(mountPoint)}, and it contains ${formatGigabytes(Number(worker.detail['misplacedBytes'] ?? 0))} on the boot disk; without them ${text(detailText(worker, 'percentFreeAfter'))}% would be free`,
  'mount-missing-empty': (_worker, { mountPoint }) =>
    `nothing is mounted on ${code(mountPoint)}, but it is empty: ${OTHER_FILES}`,
  'mount-there': (worker, { mountPoint }) =>
    `${code(mountPoint)} is mounted (${text(detailText(worker, 'type'))}): ${OTHER_FILES}`,
  'mount-below': (worker, { mountPoint }) =>
    `${code(mountPoint)} is not mounted, but ${code(detailText(worker, 'at'))} below it is: a person has to check it`,
  'other-disk': (worker, { mountPoint }) =>
    `${code(mountPoint)} is on the disk mounted on ${code(detailText(worker, 'at'))}, not on the boot disk: ${OTHER_FILES}`,
  unread: ({ detail }) =>
    `unknown: ${UNREAD_WORDS[String(detail['what'])] ?? 'it'} could not be read: ${text(String(detail['why'] ?? ''))}`,
  'vm-unknown': () => 'unknown: the cloud lists no such TPU VM, or gave no answer',
  'not-inspected': () => 'unknown: more workers are short than one scan inspects',
};

const UNREAD_WORDS: Readonly<Record<string, string>> = {
  disk: 'its disk',
  mounts: 'its mounts',
  folders: 'what takes the room',
};

const OTHER_FILES = 'other files fill the disk';

function detailText({ detail }: ScannedWorker, name: string): string {
  return String(detail[name] ?? '');
}

/** What a step does. */
export const STEP_WORDS: Readonly<Record<ChangeStepKind, string>> = {
  'clean-disk': 'clear the mount point on one worker, or do nothing if it is mounted by then; files in the bucket stay',
  'init-worker': 'initialise Ray on the TPU VM again, then check its disk, its mount and Ray',
  'start-cleanup-cron': 'start the cleanup job on the head node, then check that it is alive',
  'delete-tpu-vm': 'delete the TPU VM',
  'delete-checkpoint': 'delete one checkpoint, then check that it is gone',
};

/** The state of the cleanup job on the head node. */
export const CLEANUP_WORDS: Readonly<Record<Exclude<CleanupState, 'not-asked'>, string>> = {
  alive: 'The cleanup job of the head node is alive.',
  'not-seen': 'The cleanup job of the head node is not running: the check answered without it.',
  unknown: 'Whether the cleanup job of the head node is alive is unknown: the check gave no answer.',
};

/** `62.1 GB`, powers of ten as the clouds count. */
export function formatGigabytes(bytes: number): string {
  return `${formatNumber(bytes / 1e9)} GB`;
}

/** GitHub refuses a longer comment or body (422). */
export const COMMENT_CHARACTERS_MAX = 65_536;

export type DiskIssueView = {
  readonly disks: ClusterDisks;
  /** Proposed changes of this cluster's disks, oldest first. */
  readonly actions: readonly ActionRecord[];
  /** Journal entry of the newest approval of an edited text, after which ferrybot rewrites the text; 0: none. */
  readonly refusedAt: number;
};

/** GitHub's limit, less the seal of the marker. */
const TEXT_CHARACTERS_MAX = COMMENT_CHARACTERS_MAX - SEAL_CHARACTERS_MAX;

/** The issue's title: one per cluster. */
export function diskIssueTitle(cluster: string): string {
  return `Disks of the workers of ${cluster}`;
}

/**
 * The issue's body, within GitHub's limit. Its marker names the newest journal entry that a comment reports: a scan or the end
 * of a change.
 */
export function renderDiskIssue({ disks, actions, refusedAt }: DiskIssueView): string {
  const { readable, newest, since, unread } = disks;
  const ends = actions.map(({ ended }) => ended?.seq ?? 0);
  const fields = {
    told: String(Math.max(0, (since ?? readable)?.seq ?? 0, ...ends)),
    ...(refusedAt === 0 ? {} : { refused: String(refusedAt) }),
  };
  const blind = `The newest scan${unread > 1 ? `, and with it the last ${unread},` : ''} (${utc(newest.at)}) could not be read: ${text(newest.why)}.`;
  if (readable === null)
    return comment(
      { run: 'journal', kind: 'disk', key: newest.cluster, fields },
      paragraphs(
        `**The state of the disks of the workers of ${code(newest.cluster)} is unknown.**`,
        `${blind} No scan of this cluster has ever succeeded; check the runs of the disk scan's workflow.`,
      ),
    );
  const cleanup = readable.cleanup === 'not-asked' ? null : CLEANUP_WORDS[readable.cleanup];
  const renderPage = (parts: readonly string[], isCut: boolean): string =>
    comment(
      { run: 'journal', kind: 'disk', key: readable.cluster, fields },
      paragraphs(
        `**${describeDisk(readable)}**`,
        newest.seq === readable.seq ? null : `${blind} The text below is from the scan before.`,
        readable.reading === 'partial'
          ? `This scan does not cover every worker: ${text(readable.why)}. A worker that is not listed is unknown, not healthy.`
          : null,
        readable.workers.length === 0 ? null : renderWorkers(readable),
        cleanup,
        ...parts,
        isCut ? CUT : null,
        renderHistory(actions),
        `Scanned ${utc(readable.at)}. Low is ${readable.thresholdPercent}% free or less, short ${readable.warnPercent}%; the issue closes when a complete scan finds every worker above that.`,
      ),
    );
  const parts = [...renderProposals(readable, actions), ...renderFolders(readable)];
  const shown = partsThatFit(parts, TEXT_CHARACTERS_MAX - renderPage([], true).length);
  return renderPage(shown, shown.length < parts.length);
}

const CUT = 'GitHub limits the length of this text. The rest appears here after the changes above.';

/** The first parts that fit, with the blank line after each. */
function partsThatFit(parts: readonly string[], roomChars: number): readonly string[] {
  let room = roomChars;
  const firstCut = parts.findIndex((part) => {
    room -= part.length + 2;
    return room < 0;
  });
  return firstCut === -1 ? parts : parts.slice(0, firstCut);
}

/** The changes that wait for an approval, with their steps; the machine with the fullest disk comes first. */
function renderProposals(scan: RecordedScan, actions: readonly ActionRecord[]): readonly string[] {
  const order = [scan.cluster, ...sortByFullness(scan).map(({ tpu }) => tpu)];
  const rank = ({ proposal }: ActionRecord): number => {
    const at = order.indexOf(describeTarget(proposal.change));
    return at === -1 ? order.length : at;
  };
  const open = actions.filter(({ ended }) => ended === null).toSorted((a, b) => rank(a) - rank(b));
  return open.map((one, index) => paragraphs(index === 0 ? APPROVABLE : null, renderDiskProposal(one)));
}

/** The comment about a changed situation. */
export function renderDiskChange(scan: RecordedScan): string {
  const marker = { run: 'journal', kind: 'disk-change', key: `${scan.cluster}-${scan.seq}`, fields: {} } as const;
  const lines = sortByFullness(scan).map(
    (worker) => `${workerName(worker)}: ${worker.percentFree}% free: ${FINDING_WORDS[worker.finding](worker, scan)}`,
  );
  return comment(
    marker,
    paragraphs(
      `**${describeDisk(scan)}**`,
      lines.length === 0 ? null : bullets(lines),
      scan.cleanup === 'not-seen' ? CLEANUP_WORDS['not-seen'] : null,
      lines.length === 0 ? null : 'The description above has the proposed actions.',
    ),
  );
}

/** The workers that are short of disk, in one sentence. */
export function describeDisk({ cluster, workers, reading, cleanup }: RecordedScan): string {
  const low = workers.filter(({ level }) => level === 'low').length;
  const short = workers.length - low;
  const parts = [
    ...(low === 0
      ? []
      : [`${count(low, 'worker')} of ${code(cluster)} ${low === 1 ? 'has' : 'have'} almost no disk left`]),
    ...(short === 0
      ? []
      : [`${count(short, 'worker')} of ${code(cluster)} ${short === 1 ? 'is' : 'are'} getting short of disk`]),
    ...(cleanup === 'not-seen' ? [`the cleanup job of ${code(cluster)} is not running`] : []),
  ];
  if (parts.length > 0) return `${parts.join('; ')}.`;
  return reading === 'whole'
    ? `All workers of ${code(cluster)} have free space on their disks.`
    : `No worker of ${code(cluster)} is known to be short of disk, but some could not be checked.`;
}

function sortByFullness({ workers }: RecordedScan): readonly ScannedWorker[] {
  return workers.toSorted((a, b) => Number(a.percentFree) - Number(b.percentFree));
}

function renderWorkers(scan: RecordedScan): string {
  const rows = sortByFullness(scan).map((worker) => [
    workerName(worker),
    `${worker.level === 'low' ? '🔴' : '🟡'} ${worker.percentFree}%`,
    FINDING_WORDS[worker.finding](worker, scan),
  ]);
  return table(['Worker', 'Free', 'Why'], rows);
}

function renderFolders(scan: RecordedScan): readonly string[] {
  return sortByFullness(scan)
    .slice(0, limits.shownRowsMax)
    .filter(({ folders }) => folders.length > 0)
    .map((worker) => {
      const rows = worker.folders.map(({ path, bytes }) => [code(path), formatGigabytes(bytes)]);
      return folded(`Largest folders of ${workerName(worker)}`, table(['Folder', ''], rows));
    });
}

/** Approved and finished changes; null without one. */
function renderHistory(actions: readonly ActionRecord[]): string | null {
  const rows = actions
    .filter(({ approvals: consents, claim: begun, ended }) => consents.length > 0 || begun !== null || ended !== null)
    .slice(-limits.shownRowsMax)
    .map((one) => [
      code(one.proposal.change.kind),
      code(describeTarget(one.proposal.change)),
      `${code(shortDigest(one.digest))}, ${utc(one.at)}`,
      describeActionState(one),
    ]);
  return rows.length === 0 ? null : table(['Change', 'Of', 'Proposed', 'State'], rows);
}

function workerName({ tpu, worker }: ScannedWorker): string {
  return `${code(tpu)} worker ${worker}`;
}

/** Proposed, approved, in progress, or over with its result. */
function describeActionState({ approvals: consents, claim: begun, ended }: ActionRecord): string {
  if (ended !== null) return `${text(ended.outcome)}: ${code(ended.code)}, ${utc(ended.at)}`;
  if (begun !== null) return `in progress since ${utc(begun.at)}`;
  const last = consents.at(-1);
  if (last === undefined) return 'waits for an approval';
  return last.actor === null
    ? `approved by the config, ${utc(last.at)}`
    : `approved by ${person(last.actor)}, ${utc(last.at)}`;
}

/** Limit for the exact steps of a proposal: the command that clears a mount point has some 3,000 characters. */
const SHOWN_STEPS_CHARS_MAX = 12_000;

const APPROVABLE = '**What can be approved** (as a comment here; it counts once):';

/** One proposal: the line that approves it, and its exact steps. */
function renderDiskProposal({ proposal, digest }: ActionRecord): string {
  const what = `${code(proposal.change.kind)} of ${code(describeTarget(proposal.change))}:`;
  return paragraphs(`${what}\n\n\`\`\`\n${approveLine(digest)}\n\`\`\``, renderSteps(proposal.steps));
}

const HOST = /^--worker=\d+$/;

/** Folded: the steps in words, then the calls. Equal calls on several hosts of one machine are shown once. */
function renderSteps(steps: readonly ChangeStep[]): string {
  const title = `Exactly ${count(steps.length, 'step')}, in this order; a failure stops the rest`;
  const groups: { readonly does: ChangeStepKind; readonly steps: ChangeStep[] }[] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last !== undefined && isSameExceptHost(maskHost(step), maskHost(last.steps[0]))) last.steps.push(step);
    else groups.push({ does: step.kind, steps: [step] });
  }
  const inWords = groups.map(({ does, steps: alike }, index) => {
    const times = alike.length === 1 ? '' : ` (on each of ${alike.length} hosts, one after the other)`;
    return `${index + 1}. ${STEP_WORDS[does]}${times}`;
  });
  const calls = groups.map(({ steps: alike }) => renderCalls(alike));
  return folded(title, paragraphs(inWords.join('\n'), fenced(calls.join('\n\n'), SHOWN_STEPS_CHARS_MAX)));
}

function maskHost(step: ChangeStep | undefined): ChangeStep | undefined {
  return step && { ...step, command: step.command.map((arg) => arg.replace(HOST, '--worker=HOST')) };
}

function isSameExceptHost(a: ChangeStep | undefined, b: ChangeStep | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The exact call, and its replacement if uv itself cannot start. */
function renderCalls(alike: readonly ChangeStep[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  const { command, fallback } = alike.length === 1 ? first : (maskHost(first) ?? first);
  const hosts = alike.map((step) => step.command.find((arg) => HOST.test(arg))?.split('=')[1] ?? '');
  const each = alike.length === 1 ? '' : `# HOST is ${hosts.join(', then ')}\n`;
  const other = fallback === undefined ? '' : `\n# where uv itself cannot start: ${fallback.join(' ')}`;
  return `${each}${command.join(' ')}${other}`;
}

/** One answer for each report by a job of the run. */
export function buildDiskAnswerMarker({ run, since }: FullDisk): Marker {
  return { run: run.run, kind: 'disk-answer', key: String(since), fields: {} };
}

/** `issue`: the issue about the cluster's disks; null if no worker is short. */
export function renderDiskAnswer(full: FullDisk, scan: RecordedScan, issue: number | null): string {
  return comment(
    buildDiskAnswerMarker(full),
    paragraphs(
      `**The job reported a full disk (${utc(toRfc3339(full.since))}), and ferrybot scanned the workers of ${code(full.cluster)}.**`,
      `Scan of ${utc(scan.at)}: ${describeDisk(scan)}`,
      describeNextPlace(scan, issue),
    ),
  );
}

function describeNextPlace({ workers, reading }: RecordedScan, issue: number | null): string {
  if (workers.length > 0 && issue !== null)
    return `#${issue} lists the workers that are short, the causes, and the proposed actions.`;
  return reading === 'whole'
    ? 'No boot disk of a worker is full now: check where else the job writes, such as its output root and mounted shares.'
    : 'It may be one of the workers that could not be checked.';
}

/** Marker key of a proposal's end: the first digits of its digest. */
export function diskEndKey({ digest }: Pick<ActionRecord, 'digest'>): string {
  return shortDigest(digest);
}

/** The comment on a finished change. Throws if it is not finished. */
export function renderDiskEnd(one: ActionRecord): string {
  return comment({ run: 'journal', kind: 'disk-end', key: diskEndKey(one), fields: {} }, renderEnding(one));
}
