/** The mutation `updateRefs`: several refs, all or none, each with an optional expected old value. */

import { moveMessage, refusePush } from '../git/move-refs.ts';
import { type MovedRef, recordPush } from '../git/pushes.ts';
import type { RefUpdate } from '../git/store/git-store.ts';
import type { Act } from '../threads/threads.ts';
import { graphqlFault } from './fault.ts';

export type RefUpdateInput = {
  readonly name: string;
  readonly afterOid: string;
  /** The value that the ref must have; forty zeros = it must not exist; absent = any. */
  readonly beforeOid?: string | null;
  readonly force?: boolean | null;
};

const zeros = '0'.repeat(40);

/** If any update is refused, none is applied, and the error names the ref. */
export async function updateRefs(act: Act, inputs: readonly RefUpdateInput[]): Promise<void> {
  const store = act.world.gitOf(act.repo);
  const done: MovedRef[] = [];
  for (const input of inputs) {
    const before = (await store.refs(input.name)).get(input.name) ?? null;
    const after = input.afterOid === zeros ? null : input.afterOid;
    const moved: MovedRef = { ref: input.name, before, after };
    const outcome = (await refusePush(act, moved)) ?? (await store.updateRef(toUpdate(input, after)));
    if (outcome !== 'updated') {
      await undo(act, done);
      const type = outcome === 'stale' || outcome === 'not-fast-forward' ? 'STALE_DATA' : 'UNPROCESSABLE';
      throw graphqlFault(type, moveMessage(outcome, input.name));
    }
    done.push(moved);
  }
  await recordPush(act, done);
}

function toUpdate(input: RefUpdateInput, after: string | null): RefUpdate {
  const { beforeOid } = input;
  const expected = beforeOid === zeros ? null : beforeOid;
  return {
    ref: input.name,
    sha: after,
    force: input.force ?? false,
    ...(beforeOid === undefined || beforeOid === null || expected === undefined ? {} : { expected }),
  };
}

async function undo(act: Act, done: readonly MovedRef[]): Promise<void> {
  for (const one of done.toReversed()) {
    const back = { ref: one.ref, sha: one.before, expected: one.after, force: true };
    const outcome = await act.world.gitOf(act.repo).updateRef(back);
    if (outcome !== 'updated') throw new Error(`cannot put ${one.ref} back to ${one.before}: ${outcome}`);
  }
}
