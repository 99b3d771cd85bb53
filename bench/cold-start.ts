/** What a process costs before it does anything, beside a bare Node in the same run: the action on an event that is not for it, and `ferrybot classify`. */

import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAction } from '../scripts/bundle/build-action.ts';
import { writeCli } from '../scripts/bundle/write-bundle.ts';
import { isRelevantEvent } from '../src/app/action/relevant-event.ts';
import { toTrigger } from '../src/handlers/registry.ts';
import {
  type Child,
  childCpuMs,
  measureQuickestMs,
  median,
  type Result,
  resultWithBar,
  resultWithoutBar,
} from './measure.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LOG = fileURLToPath(new URL('../fixtures/failure-logs/1088-triton-illegal-access.log', import.meta.url));
const EVENT = {
  action: 'created',
  issue: { number: 7 },
  comment: { id: 1, body: 'Nice curve, thanks.', user: { id: 1, login: 'ada', type: 'User' } },
};
const PAIRS = 15;

/** Cold start as a ratio of CPU times, bundle size, and the cost of an event without a command in a running process. */
export function measureStart(): Promise<readonly Result[]> {
  return inFolder(async (folder) => {
    const { files } = await buildAction(ROOT);
    const action = join(folder, 'index.js');
    for (const [name, code] of Object.entries(files)) await writeFile(join(folder, name), code);
    const event = join(folder, 'event.json');
    await writeFile(event, JSON.stringify(EVENT));
    const env = { GITHUB_EVENT_PATH: event, GITHUB_EVENT_NAME: 'issue_comment', INPUT_MODE: 'chat' };
    const { ours, bare } = await besideBareNode(folder, { args: [action], env });
    const [entry, program] = [files['index.js'].length, files['program.js'].length];
    return [
      resultWithBar('cold-start-foreign-event', ours / bare, 'times a bare node', '<=', 2),
      resultWithoutBar('cold-start-foreign-event-cpu', ours, 'ms'),
      resultWithBar('bundle-entry-size', entry / 1_000_000, 'MB', '<=', 0.05),
      resultWithBar('bundle-size', (entry + program) / 1_000_000, 'MB', '<=', 4),
      resultWithBar('foreign-event-overhead', await foreignEventMs(), 'ms', '<=', 1),
    ];
  });
}

/** `ferrybot classify` as the package has it, on a log that names its cause; its compile cache is warm, as after the first call. */
export function measureClassify(): Promise<readonly Result[]> {
  return inFolder(async (folder) => {
    await cp(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
    await writeCli(ROOT, folder);
    const args = [join(folder, 'bin/ferrybot.js'), 'classify'];
    const { ours, bare } = await besideBareNode(folder, { args, env: { HOME: folder }, input: LOG });
    return [
      resultWithBar('classify', ours / bare, 'times a bare node', '<=', 5),
      resultWithoutBar('classify-cpu', ours, 'ms'),
    ];
  });
}

async function inFolder(measure: (folder: string) => Promise<readonly Result[]>): Promise<readonly Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-bench-'));
  try {
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    return await measure(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Median CPU time of both, by turns. */
async function besideBareNode(
  folder: string,
  child: Omit<Child, 'program'>,
): Promise<{ readonly ours: number; readonly bare: number }> {
  const empty = join(folder, 'bare.mjs');
  await writeFile(empty, '\n');
  const program = process.execPath;
  await childCpuMs({ ...child, program });
  const [bare, ours]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    bare.push(await childCpuMs({ ...child, program, args: [empty] }));
    ours.push(await childCpuMs({ ...child, program }));
  }
  return { ours: median(ours), bare: median(bare) };
}

async function foreignEventMs(): Promise<number> {
  const rounds = 1_000;
  const total = await measureQuickestMs(5, () => {
    for (let round = 0; round < rounds; round += 1) {
      const trigger = toTrigger('issue_comment', EVENT);
      if (isRelevantEvent('chat', 'issue_comment', EVENT) || trigger?.kind !== 'remark')
        throw new Error(`a plain comment was read as ${trigger?.kind}`);
    }
  });
  return total / rounds;
}
