/** The final comment on a failed job names the cause and the place, according to the log. */

import { expect, it } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { listElements, renderToTree } from '../render/html-of.ts';
import { approve, playFerry, propose, readState, until } from '../support/play.ts';
import { listBotTexts, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

const DIED = `Traceback (most recent call last):
  File "/app/experiments/ferries/daily.py", line 12, in <module>
    main()
  File "/app/lib/model.py", line 80, in forward
    return attention(q, k)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB; token=hf_abcdefghijklmnopqrstuvwxyz012345`;

async function endedWith(line: string) {
  const lab = await openVirtualLab({ ferry: { ...SHORT_FERRY, failAt: { step: 100, line, exitCode: 1 } } });
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'the end', async () => (await readState(lab, run))?.end != null, { stepMs: 60_000 });
  const state = await readState(lab, run);
  const responses = filterIncidents(state?.incidents ?? [], 'failure-signature').map(({ detail }) => detail.response);
  const comments = listBotTexts(lab, 'ended');
  const [card = ''] = listBotTexts(lab, 'card');
  await lab.close();
  return { end: state?.end, comments, responses, card };
}

// rule ML-25
it('records and posts the cause of a failure with file and line, without a secret from the log', async () => {
  const { end, comments } = await endedWith(DIED);
  expect(end?.diagnosis).toMatchObject({
    class: 'oom-hbm',
    response: 'escalate',
    place: { file: '/app/lib/model.py', line: 80 },
  });
  expect(comments).toEqual([expect.stringContaining("**the accelerator's memory ran out**")]);
  expect(comments[0]).toContain('`/app/lib/model.py:80`');
  expect(comments[0]).not.toContain('hf_abcdefghij');
});

it('leaves no part of a secret where a long log line is truncated', async () => {
  const token = 'hf_abcdefghijklmnopqrstuvwxyz012345';
  for (const padding of [330, 344, 350, 930, 944]) {
    const { end, comments } = await endedWith(
      `torch.OutOfMemoryError: CUDA out of memory. ${'x '.repeat(padding / 2)}${token}`,
    );
    expect(`${JSON.stringify(end?.diagnosis)} ${comments.join()}`).not.toContain(token.slice(0, 8));
  }
});

it('reports an unknown cause if the log does not show one', async () => {
  const { end, comments } = await endedWith('the end');
  expect(end?.diagnosis).toMatchObject({ class: 'unknown', place: null });
  expect(comments).toEqual([expect.stringContaining('**unknown**')]);
});

const SMALL_ERROR = `Traceback (most recent call last):
  File "/app/experiments/ferries/daily.py", line 12, in <module>
    x = cfg['lr']
KeyError: 'lr'`;
const THROUGH_THREE = `Traceback (most recent call last):
  File "/app/experiments/ferries/daily.py", line 12, in <module>
    main()
  File "/app/lib/train.py", line 40, in main
    next(batches)
  File "/app/lib/data_loader.py", line 9, in load_batch
    return row['text']
KeyError: 'text'`;

it('allows one automatic fix for a small error in one file', async () => {
  const { responses } = await endedWith(SMALL_ERROR);
  expect(responses).toEqual(['small-fix-once']);
});

// rule ML-28
it('escalates an error that passes through three files and a data loader', async () => {
  const { responses } = await endedWith(THROUGH_THREE);
  expect(responses).toEqual(['escalate']);
});

it('shows the failed attempt and the last 30 log lines on the card, folded and without secrets', async () => {
  const token = 'hf_abcdefghijklmnopqrstuvwxyz012345';
  const key = [
    '-----BEGIN PRIVATE KEY-----',
    ...Array.from({ length: 40 }, () => 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'),
    '-----END PRIVATE KEY-----',
  ];
  const noise = Array.from({ length: 22 }, (_, index) => `worker ${index} <b>@alice</b> leaves`);
  const { end, card } = await endedWith([DIED, ...key, ...noise].join('\n'));
  expect(end?.diagnosis?.logEnd).toHaveLength(30);
  expect(end?.diagnosis?.logEnd?.at(-1)).toBe('worker 21 <b>@alice</b> leaves');
  expect(JSON.stringify(end?.diagnosis)).not.toContain('MIIEvQIB');
  expect(card).toContain('| Attempt | 1 |');
  expect(card).toContain('`/app/lib/model.py:80`');
  expect(card).toContain('<summary>The last 30 lines of its log</summary>');
  expect(card).toContain('worker 21');
  expect(listElements(renderToTree(card)).map(({ tagName }) => tagName)).not.toContain('b');
  expect(card).not.toContain(token.slice(0, 8));
});

it('posts the tracker link once, after the first observation that contains it', async () => {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY });
  const { run } = await playFerry(lab);
  const links = listBotTexts(lab, 'tracker');
  expect(links).toEqual([expect.stringContaining('(https://wandb.ai/')]);
  expect(links[0]).toContain(`\`${run}\`, attempt 1`);
  await lab.close();
});
