// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/**
 * The effect of a cancellation (docs: workflow cancellation reference; actions/runner, StepsRunner): conditions are
 * evaluated again, and what should run despite it continues until a forced cancellation or five minutes end it. Virtual
 * time.
 */

import { describe, expect, it } from 'vitest';
import { file, job, type Stage, stage } from './stage.ts';

const ends = (lab: Stage, id: number): readonly string[] =>
  lab.jobs(id).map(({ key, conclusion, status }) => `${key} ${conclusion ?? status}`);
const on = (jobs: string): Record<string, string> => file('w', `on: workflow_dispatch\njobs: {${jobs}}`);

async function cancel(lab: Stage, id: number, how: 'cancel' | 'force-cancel' = 'cancel'): Promise<void> {
  expect(await lab.api('POST', `/actions/runs/${id}/${how}`)).toMatchObject({ status: 202 });
}

describe('a cancelled run', () => {
  it('keeps a job with if: always() running, unless the cancellation is forced', async () => {
    const lab = stage();
    await lab.push(
      on(
        `a: {${job('{run: sleep 60}')}}, b: {if: always(), ${job('{run: sleep 60}, {run: told}')}}, c: {needs: b, if: always(), ${job('{run: after}')}}`,
      ),
    );
    const gently = await lab.dispatch('w.yml');
    await lab.clock.advance(1_000);
    await cancel(lab, gently);
    await lab.clock.advance(60_000);
    await lab.actions.idle();
    expect(ends(lab, gently)).toEqual(['a cancelled', 'b success', 'c success']);
    expect(lab.run(gently).conclusion).toBe('cancelled');

    const hard = await lab.dispatch('w.yml');
    await lab.clock.advance(1_000);
    await cancel(lab, hard, 'force-cancel');
    await lab.actions.idle();
    expect(ends(lab, hard)).toEqual(['a cancelled', 'b cancelled']);
    expect(lab.ran.filter(({ what }) => what === 'told')).toHaveLength(1);
  });

  it('lets a running step with if: always() finish, and skips steps without such a condition', async () => {
    const lab = stage();
    await lab.push(on(`a: {${job('{if: always(), run: sleep 120}, {run: next}, {if: cancelled(), run: tidy}')}}`));
    const id = await lab.dispatch('w.yml');
    await lab.clock.advance(1_000);
    await cancel(lab, id);
    await lab.clock.advance(120_000);
    await lab.actions.idle();
    expect(lab.jobs(id)[0]?.steps.map(({ name, conclusion }) => `${name}: ${conclusion}`)).toEqual([
      'Set up job: success',
      'Run sleep 120: success',
      'Run next: skipped',
      'Run tidy: success',
      'Complete job: success',
    ]);
    expect(lab.run(id).conclusion).toBe('cancelled');
  });

  it('ends after five minutes even if steps with if: always() still run', async () => {
    const lab = stage();
    await lab.push(on(`a: {${job('{run: sleep 60}, {if: always(), run: sleep 9000}, {if: always(), run: never}')}}`));
    const id = await lab.dispatch('w.yml');
    await lab.clock.advance(1_000);
    await cancel(lab, id);
    await lab.clock.advance(4 * 60_000);
    expect(lab.run(id).status).toBe('in_progress');
    await lab.clock.advance(60_000);
    await lab.actions.idle();
    expect(lab.run(id).conclusion).toBe('cancelled');
    expect(lab.ran.map(({ what }) => what)).toEqual(['sleep 60', 'sleep 9000']);
  });

  it('still runs a queued job with if: always()', async () => {
    const lab = stage();
    await lab.push(
      on(
        'a: {runs-on: [self-hosted, ferrybot-launch], steps: [{run: sleep 60}]}, b: {if: always(), runs-on: [self-hosted, ferrybot-launch], steps: [{run: notify}]}',
      ),
    );
    const id = await lab.dispatch('w.yml');
    await lab.clock.advance(1_000);
    await cancel(lab, id);
    await lab.actions.idle();
    expect(ends(lab, id)).toEqual(['a cancelled', 'b success']);
  });
});

describe('time limits', () => {
  it.each([
    ['six hours on a hosted runner', 'ubuntu-latest', 6],
    ['five days on a self-hosted runner', '[self-hosted, ferrybot-launch]', 120],
  ])('end a job after %s, despite a longer timeout-minutes', async (_, machine, hours) => {
    const lab = stage();
    await lab.push(on(`a: {runs-on: ${machine}, timeout-minutes: 99999, steps: [{run: sleep 9999999}]}`));
    const id = await lab.dispatch('w.yml');
    await lab.clock.advance(hours * 3_600_000 - 1_000);
    expect(lab.run(id).status).toBe('in_progress');
    await lab.clock.advance(1_000);
    await lab.actions.idle();
    expect(lab.run(id).conclusion).toBe('cancelled');
  });

  it('revoke the token of a job on a self-hosted runner after a day', async () => {
    const lab = stage();
    await lab.push(
      on(
        'a: {runs-on: [self-hosted, ferrybot-launch], timeout-minutes: 7200, steps: [{run: sleep 172800, env: {T: "${{ github.token }}"}}]}',
      ),
    );
    await lab.dispatch('w.yml');
    await lab.clock.advance(1_000);
    const token = lab.ran[0]?.env['T'] ?? '';
    const ask = async (): Promise<number> =>
      (
        await lab.world.fetch(
          new Request(`${lab.world.baseUrl}/api/v3/repos/lab/model`, { headers: { authorization: `Bearer ${token}` } }),
        )
      ).status;
    expect(await ask()).toBe(200);
    await lab.clock.advance(24 * 3_600_000);
    expect([lab.run(1).status, await ask()]).toEqual(['in_progress', 401]);
  });

  it('cancel a run after 35 days; waiting for a concurrency group does not count against the day in the queue', async () => {
    const lab = stage();
    await lab.push({
      ...file(
        'turns',
        'on: workflow_dispatch\nconcurrency: one\njobs: {a: {runs-on: [self-hosted, ferrybot-launch], timeout-minutes: 99999, steps: [{run: sleep 200000}]}}',
      ),
      ...file(
        'chain',
        `on: workflow_dispatch\njobs: {${Array.from({ length: 9 }, (_, at) => `j${at}: {${at === 0 ? '' : `needs: j${at - 1}, if: always(), `}runs-on: [self-hosted, ferrybot-launch], timeout-minutes: 99999, steps: [{run: sleep 432000}]}`).join(', ')}}`,
      ),
    });
    const turns = [await lab.dispatch('turns.yml'), await lab.dispatch('turns.yml')];
    for (let hour = 0; hour < 2 * 56; hour += 1) {
      await lab.clock.advance(3_600_000);
      await lab.actions.tick();
    }
    expect(turns.map((id) => lab.run(id).conclusion)).toEqual(['success', 'success']);
    const chain = await lab.dispatch('chain.yml');
    for (let day = 0; day < 35; day += 1) {
      expect(lab.run(chain).status).toBe('in_progress');
      await lab.clock.advance(24 * 3_600_000);
      await lab.actions.tick();
    }
    await lab.actions.idle();
    expect(lab.run(chain).conclusion).toBe('cancelled');
  });
});
