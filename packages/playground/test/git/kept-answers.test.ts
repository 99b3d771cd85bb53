/** The cache of the git program's store: it never caches what was absent, too large or failed. */

import { describe, expect, it } from 'vitest';
import { createAnswerCache } from '../../git/store/kept-answers.ts';
import { git as limits } from '../../limits/limits.ts';
import { openStore, temporaryFolder, writeCommit } from './store-pair.ts';

describe('cached answers about objects', () => {
  it('are requested once, while they are among the latest', async () => {
    const kept = createAnswerCache<number>(() => 1);
    let calls = 0;
    const ask = async (): Promise<number> => {
      calls += 1;
      return calls;
    };
    expect([await kept('first', ask), await kept('first', ask)]).toEqual([1, 1]);
    for (let index = 0; index < limits.answersKept; index += 1) await kept(`later ${index}`, ask);
    expect(await kept('first', ask)).toBe(limits.answersKept + 2);
  });

  it('are requested again if they were too large or failed', async () => {
    const kept = createAnswerCache<string>((text) => text.length);
    let calls = 0;
    const large = async (): Promise<string> => {
      calls += 1;
      return 'x'.repeat(limits.answerKeptBytes + 1);
    };
    await kept('large', large);
    await kept('large', large);
    expect(calls).toBe(2);
    await expect(kept('torn', () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
    expect(await kept('torn', async () => 'now')).toBe('now');
  });
});

describe('the store of the git program', () => {
  it('finds a blob and a commit that were absent at the first request', async () => {
    await using folder = await temporaryFolder();
    const [here, elsewhere] = [openStore('program', folder.path), openStore('memory', folder.path)];
    const blob = await elsewhere.writeBlob(Buffer.from('late\n'));
    const first = await writeCommit(here, { a: '1' });
    const later = await writeCommit(elsewhere, { a: '1' }, [await writeCommit(elsewhere, { a: '1' })], 1_760_000_001);
    expect([await here.readBlob(blob), await here.isAncestor(first, later)]).toEqual([null, false]);
    await here.writeBlob(Buffer.from('late\n'));
    await writeCommit(here, { a: '1' }, [first], 1_760_000_001);
    expect(Buffer.from((await here.readBlob(blob)) ?? []).toString()).toBe('late\n');
    expect([await here.isAncestor(first, later), await here.mergeBase(later, first)]).toEqual([true, first]);
  });
});
