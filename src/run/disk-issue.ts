/** Texts for a cluster's disk issue: comments about changes, and the current description. */

import { diskMutations } from '../care/disk/disk-proposals.ts';
import { type ClusterDisks, isAllFine, isBlind } from '../domain/care/disk-scan.ts';
import type { MutationRecord } from '../domain/care/mutation-state.ts';
import type { Effect } from '../domain/effect.ts';
import type { SeenCommand } from '../domain/logbook/run-state.ts';
import { markerIdentity, saysTheSame } from '../domain/marker.ts';
import { diskEndKey, renderDiskChange, renderDiskEnd, renderDiskIssue } from '../render/disk-issue.ts';
import type { OwedComment, StandingIssue } from './outbox.ts';

/** `body` null: just opened. */
export type ToldIssue = Omit<StandingIssue, 'body'> & { readonly body: string | null };

export type DiskIssueInput = {
  readonly disks: ClusterDisks;
  readonly mutations: readonly MutationRecord[];
  /** The journal's. */
  readonly commands: ReadonlyMap<string, SeenCommand>;
  readonly issue: ToldIssue;
};

/** `at`: when it became due. */
export type DatedComment = OwedComment & { readonly at: string };

/** Post `comments` in order before `edit`: the description is the record of what was posted. */
export type DiskIssueWords = { readonly comments: readonly DatedComment[]; readonly edit: Effect | null };

/** The comments and the edit that are due now. */
export function decideDiskIssue(input: DiskIssueInput): DiskIssueWords {
  const { disks, issue } = input;
  const mutations = diskMutations(input.mutations, disks.newest.cluster);
  const refused = [...input.commands.values()].findLast(
    ({ thread, answer }) => thread === issue.number && answer?.code === 'consent-not-shown',
  );
  const body = renderDiskIssue({ disks, mutations, refusedAt: refused?.seq ?? 0 });
  const state = stateWanted(disks, mutations, issue.isOpen);
  const isSaid = issue.body !== null && issue.marker?.isIntact === true && saysTheSame(issue.body, body);
  if (isSaid && state === null) return { comments: [], edit: null };
  return {
    comments: [...endComments(issue, mutations), ...changeComments(issue, disks)],
    edit: { kind: 'edit-issue', issue: issue.number, expected: null, body, state },
  };
}

/** Closes the issue once everything is fine and nothing is running; never reopens it. Null: unchanged. */
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
  // A description without its marker does not record what was posted, but the thread has it.
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
