/** Texts for a cluster's disk issue: comments about changes, and the current description. */

import { diskActions } from '../care/disk/disk-proposals.ts';
import type { ActionRecord } from '../domain/actions/action-state.ts';
import { type ClusterDisks, isAllFine, isBlind } from '../domain/care/worker-disk.ts';
import type { Effect } from '../domain/effect.ts';
import type { SeenCommand } from '../domain/logbook/run-state.ts';
import { type MarkerKind, markerIdentity, saysTheSame } from '../domain/marker.ts';
import { diskEndKey, renderDiskChange, renderDiskEnd, renderDiskIssue } from '../render/disk-issue.ts';
import type { OwedComment, StandingIssue } from './publications.ts';

/** `body` null: just opened. */
export type ToldIssue = Omit<StandingIssue, 'body'> & { readonly body: string | null };

type DiskIssueInput = {
  readonly disks: ClusterDisks;
  readonly actions: readonly ActionRecord[];
  /** The journal's. */
  readonly commands: ReadonlyMap<string, SeenCommand>;
  readonly issue: ToldIssue;
};

/** `seq` and `at`: the journal entry that it reports. */
type DatedComment = OwedComment & { readonly seq: number; readonly at: string };

/** Post `comments` in order before `edit`: the description is the record of what was posted. */
type DiskIssueWords = { readonly comments: readonly DatedComment[]; readonly edit: Effect | null };

/** The comments and the edit that are due now. */
export function decideDiskIssue(input: DiskIssueInput): DiskIssueWords {
  const { disks, issue } = input;
  const actions = diskActions(input.actions, disks.newest.cluster);
  const refused = [...input.commands.values()].findLast(
    ({ thread, answer }) => thread === issue.number && answer?.code === 'action-not-shown',
  );
  const body = renderDiskIssue({ disks, actions, refusedAt: refused?.seq ?? 0 });
  const state = stateWanted(disks, actions, issue.isOpen);
  const isSaid = issue.body !== null && issue.marker?.isIntact === true && saysTheSame(issue.body, body);
  if (isSaid && state === null) return { comments: [], edit: null };
  const told = Number(issue.marker?.fields['told'] ?? 0);
  const reports = [...endReports(issue, actions), ...changeReports(issue, disks)].filter(
    ({ seq }) => seq > told,
  );
  return {
    comments: reports.map(({ seq, at, kind, key, body: text }) => ({
      thread: issue.number,
      seq,
      at,
      marker: markerIdentity({ run: 'journal', kind, key }),
      body: text,
    })),
    edit: { kind: 'edit-issue', issue: issue.number, expected: null, body, state },
  };
}

/** Closes the issue once everything is fine and nothing is running; never reopens it. Null: unchanged. */
function stateWanted(
  disks: ClusterDisks,
  actions: readonly ActionRecord[],
  isOpen: boolean,
): 'open' | 'closed' | null {
  const { readable } = disks;
  const isFine =
    readable !== null && isAllFine(readable) && readable.cleanup !== 'not-seen' && !isBlind(disks);
  const isUnderWay = actions.some(({ claim: begun, ended }) => begun !== null && ended === null);
  const wanted = isFine && !isUnderWay ? 'closed' : 'open';
  return isOpen === (wanted === 'open') || (wanted === 'open' && isFine) ? null : wanted;
}

type Report = {
  readonly seq: number;
  readonly at: string;
  readonly kind: MarkerKind;
  readonly key: string;
  readonly body: string;
};

function endReports({ number }: ToldIssue, actions: readonly ActionRecord[]): readonly Report[] {
  return actions.flatMap((one) => {
    if (one.ended === null || one.proposal.thread !== number) return [];
    const { seq, at } = one.ended;
    return [{ seq, at, kind: 'disk-end', key: diskEndKey(one), body: renderDiskEnd(one) } as const];
  });
}

/** None in a new issue, because its description shows the situation. */
function changeReports({ body }: ToldIssue, { since, readable, newest }: ClusterDisks): readonly Report[] {
  const scan = since ?? readable;
  if (scan === null || body === null) return [];
  const { seq, at } = scan;
  return [{ seq, at, kind: 'disk-change', key: `${newest.cluster}-${seq}`, body: renderDiskChange(scan) }];
}
