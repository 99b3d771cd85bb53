/** Diagnostic jobs on the cluster that name a hero run. */

import { expect, it, onTestFinished } from 'vitest';
import { openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { approve, readState, seal, until } from '../support/play.ts';
import { listBotTexts, MINUTE, postComment } from '../support/talk.ts';

// rule HR-29
it('the card and the seal list other jobs that name the run, and ferrybot does not stop them', async () => {
  const lab = await openHeroLab();
  onTestFinished(() => lab.close());
  const byHand = (jobId: string, entrypoint: string): void =>
    lab.engine.launchByHand({
      jobId,
      origin: { submitter: 'ada', entrypoint, gitCommit: null },
      says: [],
      exitCode: null,
    });
  byHand('ray-run-ada-nccl', `python3 diag/nccl.py --like ${RUN}`);
  byHand(`diag-${RUN}-hang`, 'python3 diag/hang.py');
  // Jobs of a similarly named run and of another user.
  byHand(`diag-${RUN}0`, 'python3 diag/hang.py');
  byHand('sweep', 'python3 sweep.py');
  const issue = await openHeroIssue(lab);
  await approve(lab, 'mira', issue, RUN);
  await until(
    lab,
    'the card',
    () => listBotTexts(lab, 'card').at(-1)?.includes('Other jobs on the cluster name this run') === true,
  );
  const state = await readState(lab, RUN);
  expect(state?.observation?.otherJobs?.map(({ jobId, status }) => [jobId, status])).toEqual([
    ['ray-run-ada-nccl', 'RUNNING'],
    [`diag-${RUN}-hang`, 'RUNNING'],
  ]);
  await until(lab, 'the end', async () => (await readState(lab, RUN))?.end != null);
  await seal(lab, RUN, issue);
  expect(listBotTexts(lab, 'sealed').at(-1)).toContain(`\`diag-${RUN}-hang\` (RUNNING since `);
  expect(await lab.engine.observe(`diag-${RUN}-hang`, null)).toMatchObject({ status: 'RUNNING' });
});

it("a /stop ends the run's own job and no other job that names the run", async () => {
  const lab = await openHeroLab();
  onTestFinished(() => lab.close());
  const left = `diag-${RUN}`;
  lab.engine.launchByHand({
    jobId: left,
    origin: { submitter: 'ada', entrypoint: 'python3 diag.py', gitCommit: null },
    says: [],
    exitCode: null,
  });
  const issue = await openHeroIssue(lab);
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch', async () => (await readState(lab, RUN))?.submission != null);
  await postComment(lab, 'mira', issue, '/stop');
  await until(lab, 'the end', async () => (await readState(lab, RUN))?.end != null, { stepMs: MINUTE });
  expect(await lab.engine.observe(left, null)).toMatchObject({ status: 'RUNNING' });
});
