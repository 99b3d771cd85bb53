/**
 * A scheduled run gets no repository in its event: it must read the default branch, even if another branch is
 * called `main`.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { push } from './attacks.ts';
import { type BundleWorld, openBundleWorld } from './bundle-world.ts';

const CONFIG = '.github/ferrybot.yml';
let lab: BundleWorld;

beforeAll(async () => {
  lab = await openBundleWorld({ server: false, config: [['targetBranch: main', 'targetBranch: trunk']] });
  await lab.runJobs();
  await lab.git('update-ref', 'refs/heads/trunk', 'refs/heads/main');
  await lab.git('symbolic-ref', 'HEAD', 'refs/heads/trunk');
  const { repos } = lab.world.state;
  for (const [id, repo] of Object.entries(repos)) repos[id] = { ...repo, defaultBranch: 'trunk' };
});
afterAll(() => lab.close());

// threat T152
it("a scheduled run uses the config of the default branch, not of a writer's branch called main", async () => {
  const honest = await lab.git('show', `trunk:${CONFIG}`);
  const mine = honest.replace('logbookBranch: ferrybot/logbook', 'logbookBranch: ferrybot/mine');
  await push(lab, 'main', { files: { [CONFIG]: mine } });
  lab.clock.advance(24 * 3_600_000);
  const printed = await lab.runJobs();
  expect(printed).toContain('ferrybot: proposed');
  const branches = await lab.git('for-each-ref', '--format=%(refname)', 'refs/heads/ferrybot');
  expect(branches).toContain('refs/heads/ferrybot/logbook');
  expect(branches).not.toContain('refs/heads/ferrybot/mine');
});
