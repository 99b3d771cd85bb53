// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** Re-runs of a whole run, of its failed jobs, or of one job: the same commit and actor, another triggering actor. */

import { expect, it } from 'vitest';
import { file, job, stage } from './stage.ts';

const GRAPH = file(
  'w',
  `
on: workflow_dispatch
run-name: "\${{ github.actor }} / \${{ github.triggering_actor }} / \${{ github.run_attempt }}"
jobs:
  plan: {outputs: {x: "\${{ steps.s.outputs.x }}"}, ${job('{id: s, run: "out x=${{ github.run_attempt }}"}')}}
  call: {needs: plan, uses: ./.github/workflows/inner.yml}
  after: {needs: call, ${job('{run: "after ${{ needs.call.result }}"}')}}
  aside: {${job('{run: aside}')}}
`,
);
const INNER = file(
  'inner',
  `on: workflow_call\njobs: {good: {${job('{run: good}')}}, bad: {${job("{run: \"${{ github.run_attempt == 1 && 'fail' || 'mended' }}\"}")}}}`,
);

it('re-runs failed jobs and the jobs that need them, and takes over the results and outputs of the others', async () => {
  const lab = stage();
  const sha = await lab.push({ ...GRAPH, ...INNER });
  const id = await lab.dispatch('w.yml');
  await lab.actions.idle();
  expect(lab.run(id).conclusion).toBe('failure');
  await lab.push({ 'other.txt': 'later' });
  lab.ran.length = 0;
  expect(await lab.api('POST', `/actions/runs/${id}/rerun-failed-jobs`)).toMatchObject({ status: 201 });
  await lab.actions.idle();
  expect(lab.ran.map(({ what }) => what)).toEqual(['mended', 'after success']);
  expect(lab.run(id)).toMatchObject({
    conclusion: 'success',
    headSha: sha,
    runAttempt: 2,
    displayTitle: 'ada / mira / 2',
  });
  const jobs = async (filter: string): Promise<unknown> =>
    (await lab.api('GET', `/actions/runs/${id}/jobs?filter=${filter}`)).body;
  expect(await jobs('latest')).toMatchObject({ total_count: 5 });
  expect(await jobs('all')).toMatchObject({ total_count: 7 });
  expect(await lab.api('GET', `/commits/${sha}/check-runs`)).toMatchObject({ body: { total_count: 5 } });
});

it('re-runs one job and, because another job failed, not the job that needs both', async () => {
  const lab = stage();
  await lab.push({ ...GRAPH, ...INNER });
  const id = await lab.dispatch('w.yml');
  await lab.actions.idle();
  const good = lab.jobs(id).find(({ key }) => key === 'call/good');
  lab.ran.length = 0;
  expect(await lab.api('POST', `/actions/jobs/${good?.id}/rerun`)).toMatchObject({ status: 201 });
  await lab.actions.idle();
  expect(lab.ran.map(({ what }) => what)).toEqual(['good']);
  expect(lab.run(id).conclusion).toBe('failure');
});

it('refuses a re-run of a running run, of failed jobs where none failed, and after a month', async () => {
  const lab = stage();
  await lab.push(file('w', `on: workflow_dispatch\njobs: {a: {${job('{run: sleep 60}')}}}`));
  const id = await lab.dispatch('w.yml');
  const ask = async (what: string): Promise<unknown> => (await lab.api('POST', `/actions/runs/${id}/${what}`)).status;
  expect(await ask('rerun')).toBe(403);
  await lab.clock.advance(60_000);
  expect(await ask('rerun-failed-jobs')).toBe(403);
  await lab.clock.advance(31 * 24 * 3_600_000);
  expect(await lab.api('POST', `/actions/runs/${id}/rerun`)).toMatchObject({
    status: 403,
    body: { message: 'Unable to retry this workflow run because it was created over a month ago' },
  });
});
