/** Rules of the daily ferry that need a whole day: what a proposal reads, and who is named as its author. */

import { describe, expect, it } from 'vitest';
import { playFerry, propose } from '../support/play.ts';
import { listBotComments, readBody, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const CREDIT = /co-authored-by|signed-off-by|generated (by|with)|ferrybot\[bot\]|\bAI\b/i;

/**
 * Author, committer or tagger and message of everything on the lab's own refs, except people's first
 * commits.
 */
async function written(lab: VirtualLab): Promise<readonly { readonly who: string; readonly message: string }[]> {
  // The test merges under refs/pull are GitHub's own.
  const refs = [...(await lab.store.refs())].filter(([ref]) => !ref.startsWith('refs/pull/'));
  const main = refs.find(([ref]) => ref === 'refs/heads/main')?.[1] ?? '';
  const found = refs.map(async ([, sha]) => {
    const tag = await lab.store.readTag(sha);
    const tagged = tag === null ? [] : [{ who: tag.tagger.name, message: tag.message }];
    const commits = tag === null ? await lab.store.log({ from: sha, not: main, limit: 500 }) : [];
    return [
      ...tagged,
      ...commits.flatMap(({ author, committer, message }) =>
        [author, committer].map(({ name }) => ({ who: name, message })),
      ),
    ];
  });
  return (await Promise.all(found)).flat();
}

describe('a daily ferry', () => {
  // rule DF-08
  it('reads only issues with the label experiment', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    await lab.as('mira', 'POST', '/issues', { title: 'Loss spikes at warmup', labels: ['experiment'] });
    await lab.as('mira', 'POST', '/issues', { title: 'The coffee machine is broken' });
    const { pull } = await propose(lab);
    expect(readBody(lab, pull)).toContain('Loss spikes at warmup');
    expect(readBody(lab, pull)).not.toContain('coffee machine');
    await lab.close();
  });

  // rule AG-05
  it('marks its comments with its sign, and commits and tags in the name of the lab', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    await playFerry(lab);
    const comments = listBotComments(lab);
    expect(comments.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['card', 'launch', 'sealed']));
    for (const { text } of comments) expect(text).toMatch(/^🤖 /u);
    const all = await written(lab);
    expect(all.length).toBeGreaterThan(10);
    expect(new Set(all.map(({ who }) => who))).toEqual(new Set(['Example Lab']));
    expect(all.filter(({ message }) => CREDIT.test(message))).toEqual([]);
    await lab.close();
  });
});
