/** The first ferry that the bot proposes in a lab which had ferries before: the last one is given by hand. */

import { expect, it } from 'vitest';
import { commitFiles } from '../../packages/playground/git/store/memory-remote.ts';
import { propose, stateOf } from '../support/play.ts';
import { bodyOf, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const MAIN = 'refs/heads/main';
const headOf = async (lab: VirtualLab): Promise<string> => (await lab.store.refs(MAIN)).get(MAIN) ?? '';

/** Adds to main, as somebody of the lab does. */
async function commit(lab: VirtualLab, files: Readonly<Record<string, string>>): Promise<void> {
  await commitFiles(lab.store, {
    ref: MAIN,
    expected: await headOf(lab),
    files,
    message: `Add ${Object.keys(files).join(', ')}`,
    author: { name: 'Ada', email: 'ada@lab.example', atMs: lab.clock.now() - 60_000 },
  });
}

/** A lab whose config says this of its last ferry: a commit that came before `lib/since.py`. */
async function labAfter(given: (commit: string) => string): Promise<VirtualLab> {
  let config = '';
  const lab = await openVirtualLab({
    ferry: SHORT_FERRY,
    config: (text) => {
      config = text;
      return text;
    },
  });
  const commitId = await headOf(lab);
  await commit(lab, { 'lib/since.py': 'SINCE = 1\n' });
  const lastFerry = `    lastFerry: { commit: '${given(commitId)}', date: '2026-10-02', issue: 7 }\n`;
  await commit(lab, { '.github/ferrybot.yml': config.replace('    lastFerry: null\n', lastFerry) });
  return lab;
}

// rule DF-40
it('of a lab with earlier ones begins at the commit and date that the config gives, and links their issue', async () => {
  let last = '';
  const lab = await labAfter((head) => {
    last = head;
    return head;
  });
  const { run, pull } = await propose(lab);
  expect((await stateOf(lab, run))?.proposal.interval).toEqual({
    sinceCommit: last,
    sinceDate: '2026-10-02',
    fallback: false,
    lastRun: null,
  });
  const text = bodyOf(lab, pull);
  expect(text).toContain('- Issue: #7');
  expect(text).toContain(`launch commit ${last} (2026-10-02)`);
  expect(text).toContain('Add lib/since.py');
  expect(text).not.toContain('The lab as it stands');
  expect((await stateOf(lab, run))?.gate?.verdicts).toContainEqual(
    expect.objectContaining({ gate: 'last-ferry-linked', outcome: 'pass' }),
  );
  await lab.close();
});

it('begins at the date where the branch has no such commit, says so, and costs no day', async () => {
  const lab = await labAfter(() => '12'.repeat(20));
  const { run, pull } = await propose(lab);
  expect((await stateOf(lab, run))?.proposal.interval).toEqual({
    sinceCommit: null,
    sinceDate: '2026-10-02',
    fallback: true,
    lastRun: null,
  });
  expect(bodyOf(lab, pull)).toContain('the launch commit that the config gives is not in the history');
  await lab.close();
});
