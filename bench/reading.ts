/** Reading what people and files say: an ordinary comment, a huge one, hostile shapes, and the delta of a long file. */

import { readFile } from 'node:fs/promises';
import { UNTRUSTED_COMMENT_BOUNDS } from '../src/commands/grammar/markdown.ts';
import { readComment, readCommentWithinBounds } from '../src/commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../src/commands/registry.ts';
import { diffConfigs } from '../src/delta/config-delta.ts';
import { maskTokens } from '../src/domain/written-secrets.ts';
import { createPythonReader } from '../src/host/python-child.ts';
import { measureQuickestMs, type Result, resultWithBar, withChildrenMs } from './measure.ts';

const EXPERIMENT = new URL('../fixtures/lab/experiments/ferries/daily.py', import.meta.url);
const OPTIONS = { otherBots: [] };

/** Milliseconds: an ordinary comment, a huge one, the worst of the hostile shapes, and the delta of 1,000 lines. */
export async function measureReading(): Promise<readonly Result[]> {
  const ordinary = 'Looks good to me, the loss fell as expected.\n\n/approve-launch 3f9a1c22b0d4\n';
  const sentence = 'The run went on through the night and the loss fell a little further than the day before. ';
  const commands = '\n\n/status\n\n'.repeat(10);
  const huge = (sentence.repeat(760) + commands).slice(-65_536);
  const hostile = [
    '> '.repeat(8_000),
    '_a_ '.repeat(16_000),
    '~a~~b '.repeat(10_000),
    `|${'a|'.repeat(30_000)}`,
    '[a][b '.repeat(10_000),
    '<b>'.repeat(20_000),
    '<details>\n\n'.repeat(5_000),
    '` `` '.repeat(12_000),
    '[^a]: /a\n\n'.repeat(6_000),
    `[a]: /b\n\n${'[a][a] '.repeat(9_000)}`,
    '> a\nb\n'.repeat(9_000),
    Array.from({ length: 20 }, (_, depth) => `${'  '.repeat(depth)}- a\n`)
      .join('')
      .repeat(200),
    Array.from({ length: 250 }, (_, depth) => `${'  '.repeat(depth)}- a\n`).join(''),
    '/stop '.repeat(10_000),
    'eyJ-'.repeat(16_384),
    '<ul><li>'.repeat(8_000),
    '<details>'.repeat(7_000),
    '<b></b>'.repeat(9_000),
    `<div>${'<b><p>'.repeat(10_000)}`,
    `<div>${tags((index) => `<b ${index}><div>`)}${'</b>'.repeat(5_000)}`,
    `<div>${tags((index) => `<i ${index}>`)}</div>${'<p>x'.repeat(9_000)}`,
    `<div ${tags((index) => `a${index} `)}>`,
    '<table>x'.repeat(8_000),
    '/hold reason="a\n'.repeat(4_000),
    'On x wrote:\n'.repeat(5_400),
    'www.a '.repeat(10_000),
  ].map((text) => `${text}\n\n/status\n`.slice(-65_536));
  const asUntrusted = (text: string) => readCommentWithinBounds('stranger', text, COMMAND_DEFINITIONS, OPTIONS);
  // As long as GitHub takes, and as long as is parsed of a stranger.
  const untrusted = hostile.flatMap((text) => [text, text.slice(0, UNTRUSTED_COMMENT_BOUNDS.characters)]);
  return [
    resultWithBar(
      'comment-untrusted-worst',
      await worstMs(untrusted, (text) => asUntrusted(maskTokens(text))),
      'ms',
      '<=',
      20,
    ),
    resultWithBar(
      'comment-ordinary',
      await measureQuickestMs(20, () => readComment(ordinary, COMMAND_DEFINITIONS, OPTIONS)),
      'ms',
      '<=',
      5,
    ),
    resultWithBar(
      'comment-65536',
      await measureQuickestMs(5, () => readComment(huge, COMMAND_DEFINITIONS, OPTIONS)),
      'ms',
      '<=',
      300,
    ),
    resultWithBar(
      'comment-hostile-worst',
      await worstMs(hostile, (text) => readComment(text, COMMAND_DEFINITIONS, OPTIONS)),
      'ms',
      '<=',
      300,
    ),
    ...(await deltas('delta-1000-lines', (index) => [`SETTING_${index} = ${index}`])),
    ...(await deltas('delta-1000-lines-of-calls', callLines)),
  ];
}

/** The most expensive text, each read for itself. */
async function worstMs(texts: readonly string[], read: (text: string) => unknown): Promise<number> {
  let worst = 0;
  for (const text of texts) worst = Math.max(worst, await measureQuickestMs(5, () => read(text)));
  return worst;
}

/** Two thousand tags or attributes, no two alike. */
function tags(of: (index: number) => string): string {
  return Array.from({ length: 2_000 }, (_, index) => of(index)).join('');
}

function callLines(index: number): readonly string[] {
  return [
    `step_${index} = train(`,
    `    name="run_${index}",`,
    `    config=Config(learning_rate=${index}e-3, decay=0.1, weights={"a": ${index}, "b": 0.5}),`,
    '    resources=ResourceConfig.with_tpu("v5p-8"),',
    '    steps=int(os.environ.get("STEPS", "5")),',
    ')',
  ];
}

/** The delta of two files of 1,000 lines: the demo's experiment, and below it more of a kind. */
async function deltas(id: string, more: (index: number) => readonly string[]): Promise<readonly Result[]> {
  const lines = (await readFile(EXPERIMENT, 'utf8')).split('\n');
  for (let index = 0; lines.length < 1_000; index += 1) lines.push(...more(index));
  const base = `${lines.join('\n')}\n`;
  const head = base.replace('7e-3', '8e-3').replace('SETTING_7 = 7', 'SETTING_7 = 8');
  const compare = async (): Promise<void> => {
    // A reader remembers what it has read, so each time needs its own.
    const read = createPythonReader(process.env['PATH'] ?? '');
    const delta = diffConfigs(await read(base, 'python3'), await read(head, 'python3'));
    if (delta.kind !== 'knobs') throw new Error(`the delta is ${delta.kind}`);
  };
  return [
    resultWithBar(id, await measureQuickestMs(10, compare), 'ms', '<=', 50),
    resultWithBar(`${id}-with-python`, await withChildrenMs(10, compare), 'ms', '<=', 400),
  ];
}
