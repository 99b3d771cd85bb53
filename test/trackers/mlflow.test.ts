/** A real MLflow server: how the adapter reads what a trainer has logged. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../packages/playground/test/support/outside-tools.ts';
import { createMlflowTracker } from '../../src/trackers/mlflow.ts';
import { EXPERIMENT, type MlflowServer, openMlflow } from '../support/mlflow-server.ts';

const AT = Date.UTC(2026, 10, 20, 10);

describeWith('mlflow', 'a run of MLflow', () => {
  let server: MlflowServer;
  beforeAll(async () => {
    server = await openMlflow();
  });
  afterAll(() => server.close());
  const tracker = (change: { readonly project?: string; readonly key?: string } = {}) =>
    createMlflowTracker(
      { fetch, now: Date.now },
      { address: server.address, entity: '', project: change.project ?? EXPERIMENT, key: change.key ?? null },
    );

  it('is found by its name, the newest of several, with its newest metrics', async () => {
    const old = await server.begin('ferry_1', AT - 60_000);
    await server.log(old, { key: 'train/loss', value: 9, step: 3, atMs: AT - 60_000 });
    const id = await server.begin('ferry_1', AT);
    for (const [step, value] of [
      [10, 2.5],
      [20, 1e-7],
    ] as const)
      await server.log(id, { key: 'train/loss', value, step, atMs: AT + step * 1_000 });
    await server.log(id, { key: 'eval/loss', value: 'Infinity', step: 10, atMs: AT + 10_000 });
    const found = {
      kind: 'found',
      run: {
        identity: 'ferry_1',
        name: 'ferry_1',
        url: expect.stringMatching(new RegExp(`^${server.address}/#/experiments/\\d+/runs/${id}$`)),
        state: 'running',
        heartbeatAt: null,
        rowAt: AT + 20_000,
        step: 20,
        metrics: { 'train/loss': '0.0000001', 'eval/loss': 'Infinity' },
      },
    };
    expect(await tracker().describe('ferry_1')).toEqual(found);
    expect(await tracker().describe(id)).toEqual(found);
    await server.end(id, 'FINISHED', AT + 30_000);
    expect(await tracker({ key: 'reader:secret' }).describe('ferry_1')).toMatchObject({ run: { state: 'finished' } });
  });

  it('has NaN as its loss, and no row before the first one', async () => {
    const id = await server.begin('ferry_2', AT);
    expect(await tracker().describe('ferry_2')).toMatchObject({ run: { rowAt: null, step: null, metrics: {} } });
    await server.log(id, { key: 'train/loss', value: 'NaN', step: 7, atMs: AT });
    expect(await tracker().describe('ferry_2')).toMatchObject({ run: { step: 7, metrics: { 'train/loss': 'NaN' } } });
  });

  it("reports the accelerators' memory use from system metrics, which do not count as training steps", async () => {
    const id = await server.begin('ferry_3', 1_000);
    const monitored = { step: 900, atMs: 90_000 };
    await server.log(id, { key: 'train/loss', value: 2.5, step: 7, atMs: 2_000 });
    await server.log(id, { key: 'system/gpu_0_memory_usage_percentage', value: 41, ...monitored });
    await server.log(id, { key: 'system/gpu_1_memory_usage_percentage', value: 93.5, ...monitored });
    await server.log(id, { key: 'system/system_memory_usage_percentage', value: 99, ...monitored });
    expect(await tracker().describe('ferry_3')).toMatchObject({ run: { step: 7, rowAt: 2_000, memoryPercent: 93.5 } });
  });

  it('is absent if the server has no such run or experiment, and unknown for a name that breaks the filter', async () => {
    expect(await tracker().describe('nobody')).toMatchObject({ kind: 'absent' });
    expect(await tracker().describe('0'.repeat(32))).toMatchObject({ kind: 'absent' });
    expect(await tracker({ project: 'nothing' }).describe('ferry_1')).toMatchObject({ kind: 'absent' });
    expect(await tracker().describe("x' OR attributes.run_name != '")).toMatchObject({ kind: 'unknown' });
  });

  it('has no log', async () => {
    expect(await tracker().logTail('ferry_1', 10)).toEqual({ kind: 'none' });
  });
});
