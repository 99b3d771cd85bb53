/** The bundle beside a bare Node, on an event that is not ours, in the same run; and its size. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { buildAction } from '../scripts/bundle/build-action.ts';
import { isOurs } from '../src/app/action/first-look.ts';
import { triggerOf } from '../src/handlers/registry.ts';
import { against, median, quickestMs, type Result, reported } from './measure.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const EVENT = {
  action: 'created',
  issue: { number: 7 },
  comment: { id: 1, body: 'Nice curve, thanks.', user: { id: 1, login: 'ada', type: 'User' } },
};
const PAIRS = 15;

/** Cold start as a ratio of medians, bundle size, and the cost of a foreign event in a running process. */
export async function measureStart(): Promise<readonly Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-bench-'));
  try {
    const { files } = await buildAction(ROOT);
    const action = join(folder, 'index.js');
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    for (const [name, code] of Object.entries(files)) await writeFile(join(folder, name), code);
    const event = join(folder, 'event.json');
    await writeFile(event, JSON.stringify(EVENT));
    await writeFile(join(folder, 'bare.mjs'), '\n');
    const env = {
      GITHUB_EVENT_PATH: event,
      GITHUB_EVENT_NAME: 'issue_comment',
      INPUT_MODE: 'chat',
      PATH: process.env['PATH'] ?? '',
    };
    const bare: number[] = [];
    const bundle: number[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      bare.push(
        await quickestMs(1, () =>
          execa(process.execPath, [join(folder, 'bare.mjs')], { env, extendEnv: false }),
        ),
      );
      bundle.push(await quickestMs(1, () => execa(process.execPath, [action], { env, extendEnv: false })));
    }
    const [entry, program] = [files['index.js'].length, files['program.js'].length];
    return [
      against('cold-start-foreign-event', median(bundle) / median(bare), 'times a bare node', '<=', 2),
      reported('cold-start-foreign-event-ms', median(bundle), 'ms'),
      against('bundle-entry-size', entry / 1_000_000, 'MB', '<=', 0.05),
      against('bundle-size', (entry + program) / 1_000_000, 'MB', '<=', 4),
      against('foreign-event-overhead', await foreignEventMs(), 'ms', '<=', 1),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function foreignEventMs(): Promise<number> {
  const rounds = 1_000;
  const total = await quickestMs(5, () => {
    for (let round = 0; round < rounds; round += 1) {
      const trigger = triggerOf('issue_comment', EVENT);
      if (isOurs('chat', 'issue_comment', EVENT) || trigger?.kind !== 'remark')
        throw new Error(`a plain comment was read as ${trigger?.kind}`);
    }
  });
  return total / rounds;
}
