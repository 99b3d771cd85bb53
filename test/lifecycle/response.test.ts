/** A job fails: what can pass by itself is started again within what was approved, and everything else becomes a question. */

import { describe, expect, it } from 'vitest';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { approve, eventsOf, propose, seal, stateOf, until } from '../support/play.ts';
import { botComments, SHORT_FERRY, saidTwice, told } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const PREEMPTED = 'trainer Received a preemption notice: this TPU slice was preempted by the cloud';

type Died = { readonly line: string; readonly step?: number };
type Failed = {
  readonly lab: VirtualLab;
  readonly run: string;
  readonly pull: number;
  readonly issue: number;
};

/** A lab whose first attempts end so, one each; what comes after them goes well. */
function openLab(deaths: readonly Died[], restartsMax = 1): Promise<VirtualLab> {
  let started = 0;
  const script = (): JobScript => {
    const died = deaths[started];
    started += 1;
    return ferryScript({
      ...SHORT_FERRY,
      failAt: died === undefined ? null : { step: died.step ?? 100, line: died.line, exitCode: 1 },
    });
  };
  const config = (text: string) => text.replace('restartsMax: 1', `restartsMax: ${restartsMax}`);
  return openVirtualLab({ script, config });
}

/** Approved by one person, once; then nobody says a word until the attempt has ended and what follows from it was told. */
async function play(lab: VirtualLab, attempt = 1): Promise<Failed> {
  const proposed = await propose(lab);
  await approve(lab, 'mira', proposed.pull);
  await ended(lab, proposed.run, attempt);
  return { lab, ...proposed };
}

async function ended(lab: VirtualLab, run: string, attempt: number): Promise<void> {
  await until(lab, `the end of attempt ${attempt}`, async () =>
    (await eventsOf(lab, run)).some(
      ({ type, data }) => type === 'ended' && 'attempt' in data && data.attempt === attempt,
    ),
  );
  await lab.clock.advance(5 * MINUTE);
}

function card(lab: VirtualLab): string {
  return botComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
}

describe('a job that can pass by itself', () => {
  it('is started again after a preemption: the same manifest, commit, identity and output root, on the approval that it has', async () => {
    const { lab, run, issue } = await play(await openLab([{ line: PREEMPTED }]));
    const events = await eventsOf(lab, run);
    const orders = events.flatMap((event) => (event.type === 'ordered' ? [event.data.order] : []));
    const [first, second] = orders;
    expect(orders).toHaveLength(2);
    expect(second).toMatchObject({
      attempt: 2,
      parent: { run, attempt: 1 },
      digest: first?.digest,
      commit: first?.commit,
      approvals: first?.approvals,
    });
    await ended(lab, run, 2);
    expect((await stateOf(lab, run))?.end).toMatchObject({ attempt: 2, status: 'SUCCEEDED' });
    await seal(lab, run, issue);
    expect((await stateOf(lab, run))?.seal?.verdict).toBe('pass');
    expect(lab.engine.startCount()).toBe(2);
    expect(told(lab, 'ended')[0]).toContain('started again');
    expect(saidTwice(lab)).toEqual([]);
    await lab.close();
  });

  it('is not started again where the approval allows no restart, and a person is asked', async () => {
    const { lab, run } = await play(await openLab([{ line: PREEMPTED }], 0));
    await lab.clock.advance(60 * MINUTE);
    expect(lab.engine.startCount()).toBe(1);
    expect((await stateOf(lab, run))?.end?.diagnosis?.class).toBe('preempted');
    expect(told(lab, 'incident').some((text) => text.includes('not started again'))).toBe(true);
    expect(card(lab)).not.toContain('is started again');
    await lab.close();
  });
});
