/** The issue of a cluster's disks: who is short and why, what can be approved, what came of it, and the answer in a run's own thread. */

import type { FullDisk } from '../care/disk/scan-for-full.ts';
import { type ChangeStep, type ChangeStepKind, targetName } from '../domain/actions/action.ts';
import type { ActionRecord } from '../domain/actions/action-state.ts';
import type {
  CleanupState,
  ClusterDisks,
  DiskFinding,
  RecordedScan,
  ScannedWorker,
} from '../domain/care/disk-scan.ts';
import { limits } from '../domain/limits.ts';
import { type Marker, SEAL_CHARACTERS_MAX } from '../domain/marker.ts';
import { toRfc3339 } from '../domain/time.ts';
import { renderEnding } from './action.ts';
import { comment } from './comment.ts';
import {
  actionLine,
  code,
  count,
  details,
  digestHex,
  fenced,
  paragraphs,
  person,
  table,
  text,
  utc,
} from './words.ts';

type Place = Pick<RecordedScan, 'mountPoint'>;

/** Why a worker is short, for its row. */
export const FINDING_WORDS: Readonly<Record<DiskFinding, (worker: ScannedWorker, place: Place) => string>> = {
  'mount-missing': ({ detail }, { mountPoint }) =>
    `nothing is mounted on ${code(mountPoint)}, and ${gigabytes(Number(detail['misplacedBytes'] ?? 0))} stand there on the boot disk; without them ${text(String(detail['percentFreeAfter'] ?? ''))}% would be free`,
  'mount-missing-empty': (_worker, { mountPoint }) =>
    `nothing is mounted on ${code(mountPoint)}, but nothing stands there either: something else fills the disk`,
  'mount-there': ({ detail }, { mountPoint }) =>
    `${code(mountPoint)} is mounted (${text(String(detail['type'] ?? ''))}): something else fills the disk`,
  'mount-below': ({ detail }, { mountPoint }) =>
    `${code(mountPoint)} is not mounted, but ${code(String(detail['at'] ?? ''))} below it is: a person has to look`,
  'other-disk': ({ detail }, { mountPoint }) =>
    `${code(mountPoint)} is not on the boot disk but on what is mounted on ${code(String(detail['at'] ?? ''))}: something else fills the disk`,
  unread: ({ detail }) =>
    `unknown: ${UNREAD_WORDS[String(detail['what'])] ?? 'it'} could not be read: ${text(String(detail['why'] ?? ''))}`,
  'vm-unknown': () => 'unknown: the cloud lists no such TPU VM, or could not be asked',
  'not-inspected': () => 'unknown: more workers are short than one scan looks at',
};

const UNREAD_WORDS: Readonly<Record<string, string>> = {
  disk: 'its disk',
  mounts: 'its mounts',
  folders: 'what takes the room',
};

/** What a step does, for people. */
export const STEP_WORDS: Readonly<Record<ChangeStepKind, string>> = {
  'clean-disk':
    'clear the mount point on one worker, or do nothing if anything is mounted there by then; what is in the bucket is not reached',
  'init-worker': 'initialise Ray on the TPU VM again, then look at its disk, its mount and at Ray',
  'start-cleanup-cron': 'start the cleanup job on the head node, then look whether it is alive',
  'delete-tpu-vm': 'delete the TPU VM',
  'delete-checkpoint': 'delete one checkpoint, then look whether it is gone',
};

/** How the cleanup job of the head node was found. */
export const CLEANUP_WORDS: Readonly<Record<Exclude<CleanupState, 'not-asked'>, string>> = {
  alive: 'The cleanup job of the head node is alive.',
  'not-seen':
    'The cleanup job of the head node was not seen: the look answered, and not as it does when the job is alive.',
  unknown: 'Whether the cleanup job of the head node is alive is unknown: the look gave no answer.',
};

/** `62.1 GB`, powers of ten as the clouds count. */
export function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** GitHub refuses a longer comment or body (422). */
export const COMMENT_CHARACTERS_MAX = 65_536;

export type DiskIssueView = {
  readonly disks: ClusterDisks;
  /** Changes that were proposed for this cluster's disks, oldest first. */
  readonly actions: readonly ActionRecord[];
  /** Entry of the newest approval that the text, edited by another person, did not support, so that it is written again; 0: none. */
  readonly refusedAt: number;
};

/** What GitHub takes, without what the seal of the marker adds. */
const TEXT_CHARACTERS_MAX = COMMENT_CHARACTERS_MAX - SEAL_CHARACTERS_MAX;

/** The issue's title: one a cluster. */
export function diskIssueTitle(cluster: string): string {
  return `Disks of the workers of ${cluster}`;
}

/**
 * The issue's body, never longer than GitHub takes. Its marker names the newest journal entry that a comment reports: a scan or
 * the end of a change.
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
        `**Nobody can say how the disks of the workers of ${code(newest.cluster)} stand.**`,
        `${blind} No scan of this cluster has ever said anything; see the runs of the disk scan's workflow.`,
      ),
    );
  const cleanup = readable.cleanup === 'not-asked' ? null : CLEANUP_WORDS[readable.cleanup];
  const page = (parts: readonly string[], isCut: boolean): string =>
    comment(
      { run: 'journal', kind: 'disk', key: readable.cluster, fields },
      paragraphs(
        `**${diskHeadline(readable)}**`,
        newest.seq === readable.seq ? null : `${blind} Nothing below was changed by it.`,
        readable.reading === 'partial'
          ? `This scan does not tell of every worker: ${text(readable.why)}. Who is not named is unknown, and not fine.`
          : null,
        readable.workers.length === 0 ? null : workerTable(readable),
        cleanup,
        ...parts,
        isCut ? CUT : null,
        history(actions),
        `Scanned ${utc(readable.at)}. Low is ${readable.thresholdPercent}% free or less, short ${readable.warnPercent}%; the issue is closed when a whole scan finds every worker above that.`,
      ),
    );
  const parts = [...proposalParts(readable, actions), ...folderParts(readable)];
  const shown = fittingParts(parts, TEXT_CHARACTERS_MAX - page([], true).length);
  return page(shown, shown.length < parts.length);
}

const CUT = 'GitHub limits the length of this text. The rest appears here as the changes above are done.';

/** The parts from the first on that have room, with the blank line after each. */
function fittingParts(parts: readonly string[], roomChars: number): readonly string[] {
  let room = roomChars;
  const firstCut = parts.findIndex((part) => {
    room -= part.length + 2;
    return room < 0;
  });
  return firstCut === -1 ? parts : parts.slice(0, firstCut);
}

/** The changes that wait for an approval, each with its steps: the machine with the fullest disk comes first. */
function proposalParts(scan: RecordedScan, actions: readonly ActionRecord[]): readonly string[] {
  const order = [scan.cluster, ...fullestFirst(scan).map(({ tpu }) => tpu)];
  const rank = ({ proposal }: ActionRecord): number => {
    const at = order.indexOf(targetName(proposal.change));
    return at === -1 ? order.length : at;
  };
  const open = actions.filter(({ ended }) => ended === null).toSorted((a, b) => rank(a) - rank(b));
  return open.map((one, index) =>
    index === 0 ? paragraphs(APPROVABLE, diskProposal(one)) : diskProposal(one),
  );
}

/** What a comment says when the situation changed. */
export function renderDiskChange(scan: RecordedScan): string {
  const marker = {
    run: 'journal',
    kind: 'disk-change',
    key: `${scan.cluster}-${scan.seq}`,
    fields: {},
  } as const;
  const lines = fullestFirst(scan).map(
    (worker) =>
      `- ${nameOf(worker)}: ${worker.percentFree}% free: ${FINDING_WORDS[worker.finding](worker, scan)}`,
  );
  return comment(
    marker,
    paragraphs(
      `**${diskHeadline(scan)}**`,
      lines.length === 0 ? null : shownLines(lines),
      scan.cleanup === 'not-seen' ? CLEANUP_WORDS['not-seen'] : null,
      lines.length === 0 ? null : 'What can be done about it stands in the description above.',
    ),
  );
}

/** Who is short of disk, in one sentence. */
export function diskHeadline({ cluster, workers, reading, cleanup }: RecordedScan): string {
  const low = workers.filter(({ level }) => level === 'low').length;
  const short = workers.length - low;
  const parts = [
    ...(low === 0
      ? []
      : [`${count(low, 'worker')} of ${code(cluster)} ${low === 1 ? 'has' : 'have'} almost no disk left`]),
    ...(short === 0
      ? []
      : [
          `${count(short, 'worker')} of ${code(cluster)} ${short === 1 ? 'is' : 'are'} getting short of disk`,
        ]),
    ...(cleanup === 'not-seen' ? [`the cleanup job of ${code(cluster)} was not seen`] : []),
  ];
  if (parts.length > 0) return `${parts.join('; ')}.`;
  return reading === 'whole'
    ? `All workers of ${code(cluster)} have room on their disks.`
    : `No worker of ${code(cluster)} is known to be short of disk, but not all could be asked.`;
}

function fullestFirst({ workers }: RecordedScan): readonly ScannedWorker[] {
  return workers.toSorted((a, b) => Number(a.percentFree) - Number(b.percentFree));
}

function workerTable(scan: RecordedScan): string {
  const more = scan.workers.length - limits.shownRowsMax;
  const rows = fullestFirst(scan)
    .slice(0, limits.shownRowsMax)
    .map((worker) => [
      nameOf(worker),
      `${worker.level === 'low' ? '🔴' : '🟡'} ${worker.percentFree}%`,
      FINDING_WORDS[worker.finding](worker, scan),
    ]);
  return paragraphs(table(['Worker', 'Free', 'Why'], rows), more > 0 ? `and ${more} more` : null);
}

function folderParts(scan: RecordedScan): readonly string[] {
  return fullestFirst(scan)
    .slice(0, limits.shownRowsMax)
    .filter(({ folders }) => folders.length > 0)
    .map((worker) => {
      const rows = worker.folders.map(({ path, bytes }) => [code(path), gigabytes(bytes)]);
      return details(`Largest folders of ${nameOf(worker)}`, table(['Folder', ''], rows));
    });
}

/** The changes that somebody approved, and those that are over; null where there is none. */
function history(actions: readonly ActionRecord[]): string | null {
  const rows = actions
    .filter(
      ({ approvals: consents, claim: begun, ended }) =>
        consents.length > 0 || begun !== null || ended !== null,
    )
    .slice(-limits.shownRowsMax)
    .map((one) => [
      code(one.proposal.change.kind),
      code(targetName(one.proposal.change)),
      `${code(digestHex(one.digest))}, ${utc(one.at)}`,
      actionState(one),
    ]);
  return rows.length === 0 ? null : table(['Change', 'Of', 'Proposed', 'State'], rows);
}

function nameOf({ tpu, worker }: ScannedWorker): string {
  return `${code(tpu)} worker ${worker}`;
}

function shownLines(lines: readonly string[]): string {
  const more = lines.length - limits.shownRowsMax;
  return [...lines.slice(0, limits.shownRowsMax), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

/** Proposed, consented to, under way, or over with what came of it. */
function actionState({ approvals: consents, claim: begun, ended }: ActionRecord): string {
  if (ended !== null) return `${text(ended.outcome)}: ${code(ended.code)}, ${utc(ended.at)}`;
  if (begun !== null) return `under way since ${utc(begun.at)}`;
  const last = consents.at(-1);
  if (last === undefined) return 'waits for a consent';
  return last.actor === null
    ? `consented by the config, ${utc(last.at)}`
    : `consented by ${person(last.actor)}, ${utc(last.at)}`;
}

/** The exact steps of a proposal, folded: the command that clears a mount point has some 3,000. */
const SHOWN_STEPS_CHARS_MAX = 12_000;

const APPROVABLE = '**What can be approved** (as a comment here; it counts once):';

/** One proposal: the command that consents to it, and its steps as they will be made. */
function diskProposal({ proposal, digest }: ActionRecord): string {
  const what = `${code(proposal.change.kind)} of ${code(targetName(proposal.change))}:`;
  return paragraphs(`${what}\n\n\`\`\`\n${actionLine(digest)}\n\`\`\``, exactSteps(proposal.steps));
}

const HOST = /^--worker=\d+$/;

/** Folded: the steps in words, then the calls. Hosts of one machine that are treated alike stand in one call. */
function exactSteps(steps: readonly ChangeStep[]): string {
  const title = `Exactly ${count(steps.length, 'step')}, in this order; one that fails stops the rest`;
  const groups: { readonly does: ChangeStepKind; readonly steps: ChangeStep[] }[] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last !== undefined && isAlike(withoutHost(step), withoutHost(last.steps[0]))) last.steps.push(step);
    else groups.push({ does: step.does, steps: [step] });
  }
  const inWords = groups.map(({ does, steps: alike }, index) => {
    const times = alike.length === 1 ? '' : ` (on each of ${alike.length} hosts, one after the other)`;
    return `${index + 1}. ${STEP_WORDS[does]}${times}`;
  });
  const calls = groups.map(({ steps: alike }) => shownCalls(alike));
  return details(title, paragraphs(inWords.join('\n'), fenced(calls.join('\n\n'), SHOWN_STEPS_CHARS_MAX)));
}

function withoutHost(step: ChangeStep | undefined): ChangeStep | undefined {
  return step && { ...step, command: step.command.map((arg) => arg.replace(HOST, '--worker=HOST')) };
}

function isAlike(a: ChangeStep | undefined, b: ChangeStep | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The call as it is made, and the one that takes its place. */
function shownCalls(alike: readonly ChangeStep[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  const { command, instead } = alike.length === 1 ? first : (withoutHost(first) ?? first);
  const hosts = alike.map((step) => step.command.find((arg) => HOST.test(arg))?.split('=')[1] ?? '');
  const each = alike.length === 1 ? '' : `# HOST is ${hosts.join(', then ')}\n`;
  const other = instead === undefined ? '' : `\n# where uv itself cannot start: ${instead.join(' ')}`;
  return `${each}${command.join(' ')}${other}`;
}

/** One answer for each time that a job of the run said so. */
export function diskAnswerMarker({ run, since }: FullDisk): Marker {
  return { run: run.run, kind: 'disk-answer', key: String(since), fields: {} };
}

/** `issue`: that of the cluster's disks; null where there is none, because nobody is short. */
export function renderDiskAnswer(full: FullDisk, scan: RecordedScan, issue: number | null): string {
  return comment(
    diskAnswerMarker(full),
    paragraphs(
      `**The job said that a disk is full (${utc(toRfc3339(full.since))}), and the workers of ${code(full.cluster)} were looked at.**`,
      `Scan of ${utc(scan.at)}: ${diskHeadline(scan)}`,
      whereNext(scan, issue),
    ),
  );
}

function whereNext({ workers, reading }: RecordedScan, issue: number | null): string {
  if (workers.length > 0 && issue !== null)
    return `Who is short, why, and what can be approved stands in #${issue}.`;
  return reading === 'whole'
    ? 'No boot disk of a worker explains it now: look at what else the job writes to, such as its output root and mounted shares.'
    : 'It may be one of the workers that could not be asked.';
}

/** Marker key of a proposal's end: the first digits of its digest. */
export function diskEndKey({ digest }: Pick<ActionRecord, 'digest'>): string {
  return digestHex(digest);
}

/** The comment on a change that is over. Throws where it is not: what is owed comes from the record. */
export function renderDiskEnd(one: ActionRecord): string {
  return comment({ run: 'journal', kind: 'disk-end', key: diskEndKey(one), fields: {} }, renderEnding(one));
}
