/**
 * Every writer may push to the branches of ferrybot's pull requests: this must not bypass the review of the
 * default branch.
 */

import { afterEach, expect, it } from 'vitest';
import { CONFIG_PATH } from '../../src/app/config-source.ts';
import { approveAndFinish, propose, readState, seal } from '../support/play.ts';
import { listAnswersTo, postComment, pushFile, readBranchFile, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(() => lab.close());

/** The ruleset of the default branch that README requires. */
function protectDefaultBranch({ world }: VirtualLab): void {
  const [repo] = Object.values(world.state.repos);
  if (repo === undefined) throw new Error('the lab has no repository');
  const at = world.clock.now();
  world.state.rulesets[1] = {
    id: 1,
    repoId: repo.id,
    name: 'default branch',
    target: 'branch',
    enforcement: 'active',
    include: ['~DEFAULT_BRANCH'],
    exclude: [],
    bypass: [],
    rules: [
      { type: 'pull_request', approvals: 1, dismissStale: true, lastPushApproval: true, mergeMethods: ['merge'] },
    ],
    createdAtMs: at,
    updatedAtMs: at,
  };
}

// threat T48
it('a writer who pushes a config into a ferrybot pull request cannot merge it with their own approval', async () => {
  lab = await openVirtualLab();
  const { run, pull } = await propose(lab);
  protectDefaultBranch(lab);
  const config = (await readBranchFile(lab, 'main', CONFIG_PATH)) ?? '';
  await pushFile(lab, 'ada', `ferrybot/proposal/${run}`, CONFIG_PATH, `${config}# mine\n`);
  const approve = (who: 'ada' | 'mira'): Promise<unknown> =>
    lab.as(who, 'POST', `/pulls/${pull}/reviews`, { event: 'APPROVE', body: 'fine' });
  const merge = (): Promise<unknown> => lab.as('ada', 'PUT', `/pulls/${pull}/merge`, { merge_method: 'merge' });
  await approve('ada');
  await expect(merge()).rejects.toThrow('approval from someone other than ada');
  expect(await readBranchFile(lab, 'main', CONFIG_PATH)).toBe(config);
  await approve('mira');
  expect(await merge()).toMatchObject({ merged: true });
});

// threat T49
it('a closure branch pushed by a writer with other changes is not labelled log-only, and the seal is refused', async () => {
  lab = await openVirtualLab({ ferry: SHORT_FERRY });
  const { run, pull, issue } = await propose(lab);
  await approveAndFinish(lab, run, pull);
  const main = (await lab.store.refs('refs/heads/main')).get('refs/heads/main');
  const branch = `ferrybot/closure/${run}`;
  await lab.as('ada', 'POST', '/git/refs', { ref: `refs/heads/${branch}`, sha: main ?? '' });
  await pushFile(lab, 'ada', branch, CONFIG_PATH, `${(await readBranchFile(lab, 'main', CONFIG_PATH)) ?? ''}# mine\n`);
  const said = await postComment(lab, 'mira', issue, '/seal');
  await lab.clock.advance(30 * 60_000);
  expect(listAnswersTo(lab, said)).toEqual([expect.stringContaining(CONFIG_PATH)]);
  expect((await readState(lab, run))?.seal).toBeNull();
  expect(Object.values(lab.world.state.issues).filter((one) => one.pull?.headRef === branch)).toEqual([]);
  await lab.as('ada', 'DELETE', `/git/refs/heads/${branch}`);
  await seal(lab, run, issue);
});
