/** The comment that tells what became of a consented change of a cluster's disks, with what was before and after. */

import { assertNever } from '../domain/assert.ts';
import { targetName } from '../domain/care/mutation.ts';
import type { MutationRecord } from '../domain/care/mutation-state.ts';
import { comment } from './comment.ts';
import { code, digestHex, paragraphs, table, text } from './words.ts';

/** Marker key of a proposal's end: the first digits of its digest. */
export function diskEndKey({ digest }: Pick<MutationRecord, 'digest'>): string {
  return digestHex(digest);
}

/** The comment on a change that is over. Throws where it is not: what is owed comes from the record. */
export function renderDiskEnd(one: MutationRecord): string {
  const { ended, proposal } = one;
  if (ended === null) throw new Error('a change that is not over');
  const target = targetName(proposal.mutation);
  const rows = Object.entries(ended.detail).map(([name, value]) => [text(name), code(String(value))]);
  return comment(
    { run: 'journal', kind: 'disk-end', key: diskEndKey(one), fields: {} },
    paragraphs(
      `**${code(proposal.mutation.kind)} of ${code(target)}: ${words(ended.outcome)}** (${code(ended.code)})`,
      rows.length === 0 ? null : table(['What was seen', ''], rows),
      ended.outcome === 'done'
        ? null
        : 'The steps after the one that is named were not begun. The next scan shows how it stands.',
    ),
  );
}

function words(outcome: NonNullable<MutationRecord['ended']>['outcome']): string {
  switch (outcome) {
    case 'done':
      return 'done, and looked at afterwards';
    case 'refused':
      return 'nothing was done';
    case 'failed':
      return 'it failed';
    case 'unclear':
      return 'nobody can say whether it worked';
    default:
      return assertNever(outcome);
  }
}
