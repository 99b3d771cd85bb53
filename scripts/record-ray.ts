/** `node scripts/record-ray.ts`: records the answers of a real head (`npm run setup:ray`) for the tests that have none. */

import { writeFile } from 'node:fs/promises';
import { startRayHead } from '../test/support/ray-head.ts';
import { recordRay } from '../test/support/record-ray.ts';

const FILE = new URL('../fixtures/ray/answers.json', import.meta.url);

const head = await startRayHead();
try {
  const recording = await recordRay(head);
  await writeFile(FILE, `${JSON.stringify(recording, null, 2)}\n`);
  console.log(`fixtures/ray/answers.json: the answers of Ray ${recording.ray}`);
} finally {
  await head.close();
}
