/** Reading what people and files say: an ordinary comment, a huge one, hostile shapes, and the delta of a long file. */

import { readFile } from 'node:fs/promises';
import { readComment } from '../src/commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../src/commands/registry.ts';
import { configDelta } from '../src/ferry/delta/config-delta.ts';
import { createPythonParser } from '../src/host/python-parser.ts';
import { against, quickestMs, type Result } from './measure.ts';

const EXPERIMENT = new URL('../fixtures/lab/experiments/ferries/daily.py', import.meta.url);
const OPTIONS = { otherBots: [] };

export async function measureReading(): Promise<readonly Result[]> {
  const ordinary = 'Looks good to me, the loss fell as expected.\n\n/approve-launch 3f9a1c22b0d4\n';
  const sentence =
    'The run went on through the night and the loss fell a little further than the day before. ';
  const commands = '\n\n/status\n\n'.repeat(10);
  const huge = (sentence.repeat(760) + commands).slice(-65_536);
  const hostile = [
    '> '.repeat(8_000),
    '_a_ '.repeat(16_000),
    '~a~~b '.repeat(10_000),
    `|${'a|'.repeat(30_000)}`,
  ].map((text) => `${text}\n\n/status\n`.slice(-65_536));
  const hostileMs = Math.max(
    ...(await Promise.all(
      hostile.map((text) => quickestMs(2, () => readComment(text, COMMAND_DEFINITIONS, OPTIONS))),
    )),
  );
  return [
    against(
      'comment-ordinary',
      await quickestMs(20, () => readComment(ordinary, COMMAND_DEFINITIONS, OPTIONS)),
      'ms',
      '<=',
      5,
    ),
    against(
      'comment-65536',
      await quickestMs(5, () => readComment(huge, COMMAND_DEFINITIONS, OPTIONS)),
      'ms',
      '<=',
      300,
    ),
    against('comment-hostile-worst', hostileMs, 'ms', '<=', 300),
    against('delta-1000-lines', await deltaMs(), 'ms', '<=', 50),
  ];
}

async function deltaMs(): Promise<number> {
  const parser = await createPythonParser();
  const text = await readFile(EXPERIMENT, 'utf8');
  const filler = Array.from(
    { length: Math.max(0, 1_000 - text.split('\n').length) },
    (_, index) => `SETTING_${index} = ${index}`,
  ).join('\n');
  const base = `${text}\n${filler}\n`;
  const head = base.replace('SETTING_7 = 7', 'SETTING_7 = 8');
  return quickestMs(10, () => {
    const delta = configDelta(parser.parse(base), parser.parse(head));
    if (delta.kind !== 'knobs') throw new Error(`the delta is ${delta.kind}`);
  });
}
