/** What the issue of a cluster's disks owes its readers: comments on what has changed, and the description as it is now. */

import { diskMutations } from '../care/disk/disk-proposals.ts';
import { type ClusterDisks, isAllFine, isBlind } from '../domain/care/disk-scan.ts';
import type { MutationRecord } from '../domain/care/mutation-state.ts';
import type { Effect } from '../domain/effect.ts';
import type { Instant } from '../domain/ids.ts';
import type { Incident } from '../domain/incidents.ts';
import { markerIdentity, saysTheSame } from '../domain/marker.ts';
import { diskEndKey, renderDiskChange, renderDiskEnd, renderDiskIssue } from '../render/disk-issue.ts';
import { renderJournalIncident } from '../render/incident.ts';
import { editsOfText } from './decide-proposal-texts.ts';
import type { OwedComment, StandingIssue } from './outbox.ts';
import { isEditTold, leftUntil } from './shown-text.ts';

/** `body` null: it was opened just now. */
export type ToldIssue = Omit<StandingIssue, 'body'> & { readonly body: string | null };

export type DiskIssueInput = {
  readonly disks: ClusterDisks;
  readonly mutations: readonly MutationRecord[];
  readonly incidents: readonly Incident[];
  readonly issue: ToldIssue;
  readonly now: Instant;
};

/** `at`: when it came to be owed. It was not said before that. */
export type DatedComment = OwedComment & { readonly at: string };

/** `comments` in their order; `edit` once all of them stand: what the description says is not told again. */
export type DiskIssueWords = { readonly comments: readonly DatedComment[]; readonly edit: Effect | null };

/** What is to be said now. */
export function decideDiskIssue(input: DiskIssueInput): DiskIssueWords {
  const { disks, incidents, issue } = input;
  const mutations = diskMutations(input.mutations, disks.newest.cluster);
  const edits = editsOfText(incidents, { thread: issue.number, comment: null });
  const body = renderDiskIssue({ disks, mutations, editedAt: edits.at(-1)?.seq ?? 0 });
  const state = stateWanted(disks, mutations, issue.isOpen);
  const isSaid = issue.body !== null && issue.marker?.isIntact === true && saysTheSame(issue.body, body);
  if (isSaid && state === null) return { comments: [], edit: null };
  const told = editComments(issue, edits);
  if (leftUntil(edits, input.now) !== null) return { comments: told, edit: null };
  return {
    comments: [...told, ...endComments(issue, mutations), ...changeComments(issue, disks)],
    edit: { kind: 'edit-issue', issue: issue.number, expected: null, body, state },
  };
}

/** Closed once all is well and nothing is under way; never opened again by itself. Null: as it is. */
function stateWanted(
  disks: ClusterDisks,
  mutations: readonly MutationRecord[],
  isOpen: boolean,
): 'open' | 'closed' | null {
  const { readable } = disks;
  const isFine =
    readable !== null && isAllFine(readable) && readable.cleanup !== 'not-seen' && !isBlind(disks);
  const isUnderWay = mutations.some(({ begun, ended }) => begun !== null && ended === null);
  const wanted = isFine && !isUnderWay ? 'closed' : 'open';
  return isOpen === (wanted === 'open') || (wanted === 'open' && isFine) ? null : wanted;
}

function editComments(
  { number: thread, marker }: ToldIssue,
  edits: ReturnType<typeof editsOfText>,
): readonly DatedComment[] {
  const toldEdit = Number(marker?.fields['edited'] ?? 0);
  return edits
    .filter((edit) => edit.seq > toldEdit && isEditTold(edit))
    .map((edit) => ({
      thread,
      marker: markerIdentity({ run: 'journal', kind: 'incident', key: String(edit.seq) }),
      body: renderJournalIncident(edit),
      at: edit.at,
    }));
}

function endComments(
  { number: thread, marker }: ToldIssue,
  mutations: readonly MutationRecord[],
): readonly DatedComment[] {
  const toldEnd = Number(marker?.fields['end'] ?? 0);
  return mutations
    .filter(({ ended, proposal }) => (ended?.seq ?? 0) > toldEnd && proposal.thread === thread)
    .map((one) => ({
      thread,
      marker: markerIdentity({ run: 'journal', kind: 'disk-end', key: diskEndKey(one) }),
      body: renderDiskEnd(one),
      at: one.ended?.at ?? one.at,
    }));
}

function changeComments(
  { number: thread, marker, body }: ToldIssue,
  { since: known, readable, newest }: ClusterDisks,
): readonly DatedComment[] {
  const since = known ?? readable;
  const told = marker?.fields['since'] ?? null;
  // What a description tells whose first line somebody has spoiled is not known: what was told stands in the thread.
  if (since === null || body === null || told === String(since.seq)) return [];
  const key = `${newest.cluster}-${since.seq}`;
  return [
    {
      thread,
      marker: markerIdentity({ run: 'journal', kind: 'disk-change', key }),
      body: renderDiskChange(since),
      at: since.at,
    },
  ];
}
