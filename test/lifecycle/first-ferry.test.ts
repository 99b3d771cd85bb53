/** The first ferry that ferrybot proposes in a lab with older ferries: the config names the last one. */

import { expect, it } from 'vitest';
import { commitFiles } from '../../packages/playground/git/store/memory-remote.ts';
import { propose, readState } from '../support/play.ts';
import { readBody, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const MAIN = 'refs/heads/main';
const headOf = async (lab: VirtualLab): Promise<string> => (await lab.store.refs(MAIN)).get(MAIN) ?? '';

/** Commits to main as a member of the lab. */
async function commit(lab: VirtualLab, files: Readonly<Record<string, string>>): Promise<void> {
  await commitFiles(lab.store, {
    ref: MAIN,
    expected: await headOf(lab),
    files,
    message: `Add ${Object.keys(files).join(', ')}`,
    author: { name: 'Ada', email: 'ada@lab.example', atMs: lab.clock.now() - 60_000 },
  });
}

/** A lab with its last ferry in the config: a commit from before `lib/since.py`. */
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
it('the first ferry uses the commit and date from the config for its interval, and links the earlier issue', async () => {
  let last = '';
  const lab = await labAfter((head) => {
    last = head;
    return head;
  });
  const { run, pull } = await propose(lab);
  expect((await readState(lab, run))?.proposal.interval).toEqual({
    sinceCommit: last,
    sinceDate: '2026-10-02',
    fallback: false,
    lastRun: null,
  });
  const text = readBody(lab, pull);
  expect(text).toContain('- Issue: #7');
  expect(text).toContain(`launch commit ${last} (2026-10-02)`);
  expect(text).toContain('Add lib/since.py');
  expect(text).not.toContain('The lab as it stands');
  expect((await readState(lab, run))?.gate?.verdicts).toContainEqual(
    expect.objectContaining({ gate: 'last-ferry-linked', outcome: 'pass' }),
  );
  await lab.close();
});

it('the first ferry uses the date if the branch does not have the commit, and its proposal shows this', async () => {
  const lab = await labAfter(() => '12'.repeat(20));
  const { run, pull } = await propose(lab);
  expect((await readState(lab, run))?.proposal.interval).toEqual({
    sinceCommit: null,
    sinceDate: '2026-10-02',
    fallback: true,
    lastRun: null,
  });
  expect(readBody(lab, pull)).toContain('the launch commit that the config gives is not in the history');
  await lab.close();
});
