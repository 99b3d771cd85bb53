/** A writer creates tags with the names of ferrybot's tag folders before they exist, on real git. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLabOpener } from '../../src/app/open-lab.ts';
import { type BundleWorld, openBundleWorld, proposedIn } from './bundle-world.ts';

let lab: BundleWorld;
beforeAll(async () => {
  lab = await openBundleWorld({ server: true });
});
afterAll(() => lab.close());

it('a tag with the name of a ferrybot folder does not block the record, because marks use no folder', async () => {
  for (const name of ['ferry', 'ferrybot', 'ferrybot-mark']) await lab.git('tag', name, 'main');
  const { run } = await proposedIn(lab);
  const tags = (await lab.git('tag', '--list')).split('\n');
  expect(tags).toContain('ferry');
  const marks = tags.filter((name) => name.includes(`-${run}-`));
  expect(marks.length).toBeGreaterThan(0);
  // The marks are known to the next process: it refuses a record without this run.
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
