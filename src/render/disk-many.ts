/** The issue of a cluster's disks where so many workers are short that each cannot have a paragraph: a row a machine. */

import { bindingHex } from '../domain/approval-binding.ts';
import type { DiskFinding, RecordedScan, ScannedWorker } from '../domain/care/disk-scan.ts';
import { targetName } from '../domain/care/mutation.ts';
import type { MutationRecord } from '../domain/care/mutation-state.ts';
import { limits } from '../domain/limits.ts';
import { APPROVABLE, diskProposal, stepsForm } from './disk-proposals.ts';
import { gigabytes } from './disk-words.ts';
import { inlineText } from './escape.ts';
import { mutationState } from './mutation-state-words.ts';
import { code, count, digestHex, paragraphs, table } from './words.ts';

/** Forms of steps that one issue shows: all machines of a cluster are cleared alike. */
const SHOWN_STEP_FORMS_MAX = 2;
/** A program's words in the row of one machine among hundreds. */
const BRIEF_CAUSE_CHARS_MAX = 60;

/**
 * Rows, proposals and what became of earlier ones, in at most `roomChars` characters: the fullest disks come first, and
 * how many machines found no room is said. The steps of all proposals of one form are shown once.
 */
export function manyWorkers(
  scan: RecordedScan,
  mutations: readonly MutationRecord[],
  roomChars: number,
): string {
  const open = mutations.filter(({ ended }) => ended === null);
  const cleanUps = open.filter(({ proposal }) => proposal.mutation.kind !== 'start-cleanup-cron');
  const forms = formsOf(cleanUps);
  const letters = new Map(
    forms.flatMap(({ letter, of }) => of.map(({ proposal }) => [targetName(proposal.mutation), letter])),
  );
  const rest = paragraphs(
    cleanUps.length === 0 ? null : approvals(forms),
    ...open.filter((one) => !cleanUps.includes(one)).map(diskProposal),
    moved(mutations),
  );
  const rows = machineRows(scan, cleanUps, letters);
  return paragraphs(rowTable(rows, roomChars - rest.length), rest);
}

type Form = { readonly letter: string; readonly text: string; readonly of: readonly MutationRecord[] };

function formsOf(open: readonly MutationRecord[]): readonly Form[] {
  const forms = open.map((one) => ({ one, form: stepsForm(one) }));
  return [...Map.groupBy(forms, ({ form }) => form.key).values()].map((of, index) => ({
    letter: String.fromCodePoint(FIRST_LETTER + Math.min(index, LETTERS - 1)),
    text: of[0]?.form.text ?? '',
    of: of.map(({ one }) => one),
  }));
}

const FIRST_LETTER = 65;
const LETTERS = 26;

function approvals(forms: readonly Form[]): string {
  const shown = forms.slice(0, SHOWN_STEP_FORMS_MAX);
  const more = forms.length - shown.length;
  return paragraphs(
    APPROVABLE,
    '```\n/approve-disk-cleanup worker=NAME DIGEST\n```',
    'with the name and the digest of a row, a comment for each machine (up to ten in one comment, a line each).',
    ...shown.map(({ letter, text, of }) => `Steps ${letter} (${count(of.length, 'machine')}):\n\n${text}`),
    more > 0 ? `${count(more, 'other form')} of steps stand in the logbook alone.` : null,
  );
}

type Row = { readonly lowest: number; readonly cells: readonly string[] };

/** One row for the hosts of a machine that have the same cause; the fullest disk first. */
function machineRows(
  { workers }: RecordedScan,
  open: readonly MutationRecord[],
  letters: ReadonlyMap<string, string>,
): readonly Row[] {
  const proposed = new Map(open.map(({ proposal, digest }) => [targetName(proposal.mutation), digest]));
  const groups = Map.groupBy(workers, ({ tpu, level, finding }) => `${tpu} ${level} ${finding}`);
  return [...groups.values()]
    .flatMap((alike) => {
      const [first] = alike;
      if (first === undefined) return [];
      const digest = first.finding === 'mount-missing' ? proposed.get(first.tpu) : undefined;
      const percents = alike.map(({ percentFree }) => Number(percentFree));
      const [lowest, highest] = [Math.min(...percents), Math.max(...percents)];
      const free = lowest === highest ? lowest.toFixed(1) : `${lowest.toFixed(1)}–${highest.toFixed(1)}`;
      const cells = [
        code(first.tpu),
        first.vm?.zone ?? '',
        ranges(alike.map(({ worker }) => worker)),
        `${first.level === 'low' ? '🔴' : '🟡'} ${free}%`,
        briefCause(alike),
        digest === undefined ? '' : `${code(bindingHex(digest))} ${letters.get(first.tpu) ?? ''}`,
      ];
      return [{ lowest, cells }];
    })
    .toSorted((a, b) => a.lowest - b.lowest);
}

function rowTable(rows: readonly Row[], roomChars: number): string {
  const head = ['NAME', 'ZONE', 'HOST', 'Free', 'Why', 'DIGEST, steps'];
  let room = roomChars - MORE_CHARS;
  const fitting = rows.findIndex(({ cells }) => {
    room -= cells.join(' | ').length + ROW_EDGE_CHARS;
    return room < 0;
  });
  const shown = fitting < 0 ? rows : rows.slice(0, fitting);
  const more = rows.length - shown.length;
  const cells = shown.map((row) => row.cells);
  return paragraphs(
    table(head, cells, cells.length),
    more > 0 ? `${count(more, 'more row')} with more room free: told when those above are cleared.` : null,
  );
}

/** `| ` and ` |` and the end of the line. */
const ROW_EDGE_CHARS = 5;
/** Head of the table and the sentence after it. */
const MORE_CHARS = 300;

const BRIEF: Readonly<Record<DiskFinding, string>> = {
  'mount-missing': 'no mount',
  'mount-missing-empty': 'no mount, nothing beside it',
  'mount-there': 'mounted, something else',
  'mount-below': 'no mount, but one below it',
  'other-disk': 'on another disk, something else',
  'disk-unread': 'unknown: disk unread',
  'mounts-unread': 'unknown: mounts unread',
  'folders-unread': 'unknown: folders unread',
  'vm-unknown': 'unknown: no such TPU VM',
  'not-inspected': 'unknown: not looked at',
};

function briefCause(alike: readonly ScannedWorker[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  const { finding, detail, folders } = first;
  const words = BRIEF[finding];
  if (finding === 'mount-missing') {
    const bytes = alike.reduce((sum, one) => sum + Number(one.detail['misplacedBytes'] ?? 0), 0);
    const more =
      alike.length > limits.cleanHostsMax ? '; more hosts than one clean-up takes, a person has to look' : '';
    return `${words}, ${gigabytes(bytes)} beside it${more}`;
  }
  const why = detail['why'];
  if (why !== undefined) return `${words}: ${inlineText(String(why), BRIEF_CAUSE_CHARS_MAX)}`;
  // The largest of all is the folder that the others are in.
  const largest = folders[1] ?? folders[0];
  return largest === undefined ? words : `${words}: ${code(largest.path)} ${gigabytes(largest.bytes)}`;
}

/** `0–3, 7`. */
function ranges(hosts: readonly number[]): string {
  const parts: { readonly from: number; to: number }[] = [];
  for (const host of hosts.toSorted((a, b) => a - b)) {
    const last = parts.at(-1);
    if (last !== undefined && host <= last.to + 1) last.to = host;
    else parts.push({ from: host, to: host });
  }
  return parts.map(({ from, to }) => (from === to ? String(from) : `${from}–${to}`)).join(', ');
}

/** Proposals that somebody answered; what came of each was told in a comment of its own. */
function moved(mutations: readonly MutationRecord[]): string | null {
  const rows = mutations
    .filter(({ consents, begun, ended }) => consents.length > 0 || begun !== null || ended !== null)
    .slice(-limits.shownRowsMax)
    .map((one) => [
      code(one.proposal.mutation.kind),
      code(targetName(one.proposal.mutation)),
      code(digestHex(one.digest)),
      mutationState({ ...one, ended: one.ended && { ...one.ended, detail: {} } }),
    ]);
  return rows.length === 0 ? null : table(['Change', 'Of', 'Proposal', 'State'], rows);
}
