/** A hero run from the contract in an issue to the seal. */

import { expect, it } from 'vitest';
import { branchHead, openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { approveAndFinish, readState, seal, untilState } from '../support/play.ts';
import { listRepeatedComments, pushFile } from '../support/talk.ts';

// rule HR-71
it('a hero run goes from the issue form to the seal, at the commit that the contract names', async () => {
  const lab = await openHeroLab();
  const issue = await openHeroIssue(lab);
  await untilState(lab, RUN, (state) => state.gate?.digest != null, { limitMs: 3_600_000 });
  const state = await readState(lab, RUN);
  expect(state === null ? null : listOpenGates(state)).toEqual([]);
  const source = await branchHead(lab);
  await pushFile(lab, 'ada', 'main', 'lib/newer.py', 'x = 1\n');
  await approveAndFinish(lab, RUN, issue);
  // A later push is not in the contract, so it is not launched.
  expect((await readState(lab, RUN))?.submission).toMatchObject({ commit: source, attempt: 1 });
  expect((await readState(lab, RUN))?.gate?.manifest).toMatchObject({
    outputRoot: 'outputs/grug-moe-1e23-ep8',
    retention: { permanentEverySteps: 500, temporaryEveryMinutes: 15, keepTemporary: 10 },
    policy: { 'contract.dri': 'given: ada', 'contract.flops': 'inferred: 1.88e18' },
  });
  await seal(lab, RUN, issue);
  expect((await readState(lab, RUN))?.seal).toMatchObject({ verdict: 'pass' });
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});

// rule HR-01
it('an experiment issue above the FLOP threshold becomes a hero run, and a smaller one does not', async () => {
  const lab = await openHeroLab();
  const labels = ['experiment'];
  await openHeroIssue(lab, { labels, answers: { 'Run slug': 'small' } });
  await lab.clock.advance(10 * 60_000);
  expect(await readState(lab, 'small')).toBeNull();
  // 125M parameters and 14T tokens are 1.05e22 operations.
  const issue = await openHeroIssue(lab, { labels, answers: { 'Token budget': '14T' } });
  await untilState(lab, RUN, (state) => state.gate?.digest != null, { limitMs: 3_600_000 });
  const state = await readState(lab, RUN);
  expect(state?.proposal).toMatchObject({ lane: 'hero', issue, requestedBy: { login: 'ada' } });
  expect(state === null ? null : listOpenGates(state)).toEqual([]);
  await lab.close();
});
