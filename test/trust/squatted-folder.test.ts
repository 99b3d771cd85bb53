/** Somebody who may write takes the name of the folder of our tags before anything stands in it, on real git. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLabOpener } from '../../src/app/open-lab.ts';
import { type BundleWorld, openBundleWorld, proposedIn } from './bundle-world.ts';

let lab: BundleWorld;
beforeAll(async () => {
  lab = await openBundleWorld({ server: true });
});
afterAll(() => lab.close());

it('a tag that takes the name of a folder of ours stops no record: its marks are in no folder', async () => {
  for (const name of ['ferry', 'ferrybot', 'ferrybot-mark']) await lab.git('tag', name, 'main');
  const { run } = await proposedIn(lab);
  const tags = (await lab.git('tag', '--list')).split('\n');
  expect(tags).toContain('ferry');
  const marks = tags.filter((name) => name.startsWith(`ferrybot-mark-${run}-`));
  expect(marks.length).toBeGreaterThan(0);
  // What was marked there is known to the next process: a record without it is refused.
  const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
  const bare = await lab.git(
    '-c',
    'user.name=ada',
    '-c',
    'user.email=ada@lab.example',
    'commit-tree',
    '-m',
    'x',
    empty,
  );
  await lab.git('update-ref', 'refs/heads/ferrybot/logbook', bare);
  const opening = await createLabOpener(lab.control, 'main').open();
  if (opening.kind !== 'open') throw new Error('the lab has no config');
  expect(opening.open.store.current().broken.map(({ run: broken }) => broken)).toContain(run);
});
