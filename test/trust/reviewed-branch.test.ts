/** The pull requests that ferrybot opens stand on branches that everybody with write access may push to: none of them is a way past the review. */

import { afterEach, expect, it } from 'vitest';
import { CONFIG_PATH } from '../../src/app/config-source.ts';
import { propose } from '../support/play.ts';
import { fileOf, pushFile } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(() => lab.close());

/** What README asks for on the default branch. */
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
      {
        type: 'pull_request',
        approvals: 1,
        dismissStale: true,
        lastPushApproval: true,
        mergeMethods: ['merge'],
      },
    ],
    createdAtMs: at,
    updatedAtMs: at,
  };
}

it('a writer who pushes another config into a pull request of ferrybot does not merge it on their own approval', async () => {
  lab = await openVirtualLab();
  const { run, pull } = await propose(lab);
  protectDefaultBranch(lab);
  const config = (await fileOf(lab, 'main', CONFIG_PATH)) ?? '';
  await pushFile(lab, 'ada', `ferrybot/proposal/${run}`, CONFIG_PATH, `${config}# mine\n`);
  const approve = (who: 'ada' | 'mira'): Promise<unknown> =>
    lab.as(who, 'POST', `/pulls/${pull}/reviews`, { event: 'APPROVE', body: 'fine' });
  const merge = (): Promise<unknown> =>
    lab.as('ada', 'PUT', `/pulls/${pull}/merge`, { merge_method: 'merge' });
  await approve('ada');
  await expect(merge()).rejects.toThrow('approval from someone other than ada');
  expect(await fileOf(lab, 'main', CONFIG_PATH)).toBe(config);
  await approve('mira');
  expect(await merge()).toMatchObject({ merged: true });
});
