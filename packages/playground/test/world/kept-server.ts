/**
 * A playground in its own process, which a test may kill: `node kept-server.ts FOLDER` prints its address and ada's
 * token.
 */

import { join } from 'node:path';
import { importTree } from '../../git/store/import-tree.ts';
import { createProgramStore } from '../../git/store/program-store.ts';
import { createGitDoor } from '../../http/git-door.ts';
import { createOffsetClock } from '../../http/offset-clock.ts';
import { listen } from '../../http/server.ts';
import { mintUserToken } from '../../identity/tokens.ts';
import { createWorld } from '../../world/create-world.ts';
import { findUser, requireRow } from '../../world/lookup.ts';
import { seedWorld } from '../../world/seed.ts';
import { createStateFile } from '../../world/state-file.ts';

const folder = process.argv[2] ?? '';
const directory = join(folder, 'lab.git');
const server = await listen(0);
if (!server.ok) throw new Error(server.reason);
const file = createStateFile(join(folder, 'world.json'));
const kept = await file.load();
const store = createProgramStore({ directory });
const clock = createOffsetClock();
const world = createWorld({
  clock,
  gitStores: () => store,
  baseUrl: server.origin,
  onChange: file.save,
  ...(kept === null ? {} : { state: kept }),
});
if (kept === null) {
  seedWorld(world, { labels: { bug: 'd73a4a' } });
  await importTree(store, { directory: join(import.meta.dirname, '../../../../fixtures/lab/lib'), message: 'First' });
}
const token = mintUserToken(world, requireRow(findUser(world, 'ada'), 'ada').id);
await world.save();
server.serve({
  world,
  clock,
  git: createGitDoor(world, { directoryOf: () => directory }),
  onBug: (error) => {
    throw error;
  },
});
console.log(JSON.stringify({ origin: server.origin, token }));
