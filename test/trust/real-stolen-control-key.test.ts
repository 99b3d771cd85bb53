/** The control key alone launches nothing: the runner judges the change and the lane again, on its own reading. */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { approvalLine } from '../support/approve.ts';
import { botComments } from '../support/talk.ts';
import { push } from './attacks.ts';
import {
  type BundleWorld,
  bookmark,
  HOSTED,
  LAUNCHER,
  launchIn,
  openBundleWorld,
  proposedIn,
  startedIn,
  stateIn,
} from './bundle-world.ts';
import {
  answerWithStolenKey,
  orderAgainWithStolenKey,
  orderWithStolenKey,
  proposeManyWithStolenKey,
  proposeWithStolenKey,
  releaseWithStolenKey,
  thawWithStolenKey,
} from './stolen-control-key.ts';

const DAY = 24 * 3_600_000;
let lab: BundleWorld;
let run: string;
let rewind: () => Promise<void>;

beforeAll(async () => {
  lab = await openBundleWorld({ server: true });
  run = (await proposedIn(lab)).run;
  await lab.runJobs();
  await lab.useRunners(HOSTED, LAUNCHER);
  rewind = await bookmark(lab);
});
afterEach(() => rewind());
afterAll(() => lab.close());

const launch = (order: string, of: string = run): Promise<string> => launchIn(lab, of, order);
const started = (): Promise<readonly string[]> => startedIn(lab);

const branch = (): string => `ferrybot/proposal/${run}`;
const CHANGED = { files: { 'scripts/tell.py': "print('anything at all')\n" } };

it('a forged order for a head that changes a file outside the scope is refused with scope', async () => {
  await push(lab, branch(), CHANGED);
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('scope');
  expect(await started()).toEqual([]);
});

/** ada's pull request, whose second commit takes back what its first does to a shipped file, merged by mira; the first on main. */
async function innerCommit(method: string): Promise<string> {
  await push(lab, 'ada/tidy', CHANGED);
  const pushed = await lab.git('rev-parse', 'ada/tidy');
  await push(lab, 'ada/tidy', {
    files: { 'scripts/tell.py': await lab.git('show', 'main:scripts/tell.py') },
  });
  const pull = { title: 'Tidy', body: 'Tidies.', head: 'ada/tidy', base: 'main' };
  const { number } = (await lab.as('ada', 'POST', '/pulls', pull)) as { readonly number: number };
  await lab.as('mira', 'PUT', `/pulls/${number}/merge`, { merge_method: method });
  return method === 'merge' ? pushed : lab.git('rev-parse', 'main~1');
}

it.each(['merge', 'rebase'])(
  'a forged order for a change that begins at a commit inside a pull request (%s) is refused with freshness',
  async (method) => {
    const inner = await innerCommit(method);
    const file = 'experiments/ferries/daily.py';
    const proposed = await lab.git('show', `${branch()}:${file}`);
    await push(lab, branch(), { back: inner });
    await push(lab, branch(), { files: { [file]: proposed } });
    await lab.sweep();
    const verdicts = (await stateIn(lab))?.gate?.verdicts.filter(({ outcome }) => outcome === 'fail') ?? [];
    expect(verdicts.map(({ gate, code }) => `${gate} ${code}`)).toContain('freshness no-past-tip');
    expect(verdicts.map(({ gate }) => gate)).not.toContain('scope');
    expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('freshness');
    expect(await started()).toEqual([]);
  },
  120_000,
);

it('a forged order while another run of the lane is live is refused with lane-free', async () => {
  await orderWithStolenKey(lab, run, 'mira');
  const second = await proposeWithStolenKey(lab, run);
  expect(await launch(await orderWithStolenKey(lab, second, 'mira'), second)).toContain('lane-free');
  expect(await started()).toEqual([]);
});

it('a forged order beside a record that allows more restarts than the approved manifest is refused with order-forged', async () => {
  const order = await orderWithStolenKey(lab, run, 'mira', null, (manifest) => ({
    ...manifest,
    envelope: { ...manifest.envelope, restarts: 1_000 },
  }));
  expect(await launch(order)).toContain('order-forged');
  expect(await started()).toEqual([]);
}, 60_000);

async function said(body: string): Promise<number> {
  lab.clock.advance(5_000);
  const { pull } = (await stateIn(lab))?.proposal ?? {};
  return ((await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body })) as { readonly id: number }).id;
}

it('a forged order on an approval that was revoked is refused with held-in-thread', async () => {
  // The launcher is away until it is revoked: otherwise it may be faster than the words.
  await lab.useRunners(HOSTED);
  const approval = await said(approvalLine(lab));
  await lab.sweep();
  await said('/revoke');
  await lab.sweep();
  expect((await stateIn(lab))?.approvals).toEqual([]);
  await lab.useRunners(HOSTED, LAUNCHER);
  // The honest order is refused before there is a forged one.
  await lab.runJobs();
  expect(await launch(await orderAgainWithStolenKey(lab, run, approval))).toContain('held-in-thread');
  expect(await started()).toEqual([]);
});

it('a forged order on an approval under a card that a writer gave a false delta is refused with approval-before-shown', async () => {
  const card = botComments(lab).find(({ kind }) => kind === 'card');
  if (card === undefined) throw new Error('there is no card');
  const body = card.source.replace('**Wanted:', '| harmless | 1 | 2 |\n\n**Wanted:');
  lab.clock.advance(5_000);
  await lab.as('ada', 'PATCH', `/issues/comments/${card.id}`, { body });
  const order = await orderWithStolenKey(lab, run, 'mira');
  await lab.as('ada', 'PATCH', `/issues/comments/${card.id}`, { body: card.source });
  expect(await launch(order)).toContain('approval-before-shown');
  expect(await started()).toEqual([]);
});

it.each(['/stop', '/hold reason="wait"', '/freeze reason="wait"', '/skip reason="wait"'])(
  'a forged answer to %s does not take it out of the way of an order',
  async (brake) => {
    const order = await orderWithStolenKey(lab, run, 'mira');
    await answerWithStolenKey(lab, run, await said(brake));
    expect(await launch(order)).toContain(brake === '/stop' ? 'stop-requested' : 'held-in-thread');
    expect(await started()).toEqual([]);
  },
  60_000,
);

it('a forged release of a hold that nobody lifted does not take it out of the way of an order', async () => {
  await said('/hold reason="wait"');
  await lab.sweep();
  expect((await stateIn(lab))?.holds).toHaveLength(1);
  await releaseWithStolenKey(lab, run, 'mira');
  expect((await stateIn(lab))?.holds).toEqual([]);
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('held-in-thread');
  expect(await started()).toEqual([]);
});

it('a forged release of a hold whose comment a writer deleted does not take it out of the way of an order', async () => {
  const hold = await said('/hold reason="wait"');
  await lab.sweep();
  await lab.as('ada', 'DELETE', `/issues/comments/${hold}`);
  await releaseWithStolenKey(lab, run, 'mira');
  expect((await stateIn(lab))?.holds).toEqual([]);
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('lift-unproven');
  expect(await started()).toEqual([]);
});

it('an approval that a launcher saw held back stays spent, also when the brake is deleted and an order is forged anew', async () => {
  const approval = await said(approvalLine(lab));
  const brake = await said('/hold reason="wait"');
  const order = await orderAgainWithStolenKey(lab, run, approval);
  await answerWithStolenKey(lab, run, brake);
  expect(await launch(order)).toContain('held-in-thread');
  await lab.as('ada', 'DELETE', `/issues/comments/${brake}`);
  expect(await launch(await orderAgainWithStolenKey(lab, run, approval))).toContain('approval-spent');
  expect(await started()).toEqual([]);
});

it('a freeze that was answered as if it had none is one for an approval that comes after it too', async () => {
  const brake = await said('/freeze reason="wait"');
  await answerWithStolenKey(lab, run, brake);
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('held-in-thread');
  expect(await started()).toEqual([]);
});

/** mira freezes the lane in a thread that belongs to no run, and an older comment of hers is in reach of the thief. */
async function frozenElsewhere(): Promise<{ readonly thread: number; readonly older: number }> {
  const opened = await lab.as('mira', 'POST', '/issues', {
    title: 'The nodes',
    body: 'They are broken.',
    labels: ['experiment'],
  });
  const { number: thread } = opened as { readonly number: number };
  const older = await saidIn(thread, '/thaw');
  await saidIn(thread, '/freeze reason="bad nodes"');
  await lab.sweep();
  return { thread, older };
}

async function saidIn(thread: number, body: string): Promise<number> {
  lab.clock.advance(5_000);
  return ((await lab.as('mira', 'POST', `/issues/${thread}/comments`, { body })) as { readonly id: number })
    .id;
}

it.each(['an older comment of hers', 'a comment that never was'])(
  'a forged release of a freeze on %s does not take it out of the way of an order',
  async (what) => {
    const { older } = await frozenElsewhere();
    await thawWithStolenKey(lab, 'mira', what === 'a comment that never was' ? 999_999 : older);
    expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('lift-unproven');
    expect(await started()).toEqual([]);
  },
  60_000,
);

it('a forged release of a hold that somebody put on from another thread, before the approval, does not take it out of the way of an order', async () => {
  const opened = await lab.as('mira', 'POST', '/issues', { title: 'A question', body: 'Who knows?' });
  const { number: thread } = opened as { readonly number: number };
  await saidIn(thread, `/hold run=${run} reason="wait"`);
  await lab.sweep();
  expect((await stateIn(lab))?.holds).toHaveLength(1);
  await releaseWithStolenKey(lab, run, 'mira');
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('held-in-thread');
  expect(await started()).toEqual([]);
}, 120_000);

// The clock only moves forward: nothing comes after this one but the honest order.
it('a forged order for a merge base of last week is refused with freshness', async () => {
  lab.clock.advance(7 * DAY);
  await push(lab, 'main', CHANGED);
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('freshness');
  expect(await started()).toEqual([]);
});

it('the same key orders what every gate lets through, a person approves and no freeze holds back any more, so that these tests can fail', async () => {
  const { thread } = await frozenElsewhere();
  await saidIn(thread, '/thaw');
  await lab.sweep();
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('submitted');
  expect(await started()).toHaveLength(1);
});

it('an approval on which a run was launched launches no second run of the same proposal', async () => {
  const approval = await said(approvalLine(lab));
  await lab.sweep();
  expect(await lab.runJobs()).toMatch(/ferrybot: (submitted|adopted)/);
  const second = await proposeWithStolenKey(lab, run);
  const order = await orderWithStolenKey(lab, second, 'mira', approval);
  expect(await launch(order, second)).toContain('approval-used');
  expect(await started()).toHaveLength(1);
});

it('nor does it where the thief proposes so many runs of later days that the first would not be read', async () => {
  const approval = await said(approvalLine(lab));
  await lab.sweep();
  expect(await lab.runJobs()).toMatch(/ferrybot: (submitted|adopted)/);
  const crowd = Array.from({ length: limits.runsReadMax - 1 }, (_, at) => `ferry-crowd-20991231-${at + 1}`);
  await proposeManyWithStolenKey(lab, run, crowd);
  const second = await proposeWithStolenKey(lab, run, 'ferry-later-20991231');
  const order = await orderWithStolenKey(lab, second, 'mira', approval);
  expect(await launch(order, second)).toContain('approval-used');
  expect(await started()).toHaveLength(1);
});
