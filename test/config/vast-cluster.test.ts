/** What a config may contain for a cluster of rented machines. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import { clusterSchema, engineDefinition } from '../../src/engines/registry.ts';
import { vastCluster } from '../support/vast-bench.ts';

const LAB = readFileSync(new URL('../../fixtures/lab/.github/ferrybot.yml', import.meta.url), 'utf8');
const good = vastCluster('https://console.vast.ai');
const issues = (change: object): readonly unknown[] => {
  const cluster = clusterSchema.parse({ ...good, ...change });
  return engineDefinition(cluster)
    .configIssues(['clusters', 'rented'], cluster)
    .map(({ path }) => path.at(-1));
};

it('accepts an image only by its digest', () => {
  expect(clusterSchema.safeParse(good).success).toBe(true);
  for (const image of ['pytorch/pytorch', 'pytorch/pytorch:2.9', `pytorch/pytorch@sha256:${'a'.repeat(63)}`])
    expect(clusterSchema.safeParse({ ...good, image }).success).toBe(false);
});

it('requires a positive price, a reliability share, and an HTTPS address', () => {
  expect(issues({})).toEqual([]);
  expect(issues({ api: 'http://127.0.0.1:8000' })).toEqual([]);
  expect(issues({ reliability: '98' })).toEqual(['reliability']);
  expect(issues({ dollarsPerHourMax: '0.00' })).toEqual(['dollarsPerHourMax']);
  expect(issues({ api: 'http://console.vast.ai' })).toEqual(['api']);
});

it('puts all settings that decide what is rented into the manifest, and the key into no text', () => {
  const { launcher, secretVariables, jobsRunHere } = engineDefinition(good).traits(good);
  expect(secretVariables).toEqual(['VAST_API_KEY']);
  expect(jobsRunHere).toBe(false);
  for (const key of ['image', 'gpu', 'dollarsPerHourMax', 'hoursMax', 'reliability', 'fleet'])
    expect(JSON.parse(launcher ?? '{}')).toHaveProperty(key);
});

it("passes the cost and time limits of a machine to the manifest's envelope", () => {
  expect(issues({ dollarsMax: '0' })).toEqual(['dollarsMax']);
  expect(engineDefinition(good).traits(good).rental).toEqual({
    ...{ dollarsPerHourMax: '0.50', dollarsMax: '20', dollarsPerDayMax: null, dollarsPerMonthMax: null },
    hoursMax: 24,
    ...{ startMinutesMax: 45, idleMinutesMax: 30, endMinutesMax: 60, keepHoursMax: 12 },
  });
});

it('requires a unique fleet, because machines of two clusters with one fleet are indistinguishable', () => {
  const read = (fleet: string): unknown => {
    const [first, second] = [
      { ...good, fleet: 'ours' },
      { ...good, fleet },
    ].map((one) => JSON.stringify(one));
    const text = LAB.replace('\nclusters:\n', `\nclusters:\n  first: ${first}\n  second: ${second}\n`);
    const reading = readLabConfig(text);
    return reading.kind === 'valid'
      ? 'valid'
      : reading.problems.map(({ code, path, message }) => [code, path, message]);
  };
  expect(read('another')).toBe('valid');
  expect(read('ours')).toEqual([['doubled', 'clusters.second', expect.stringContaining('as on the cluster first')]]);
});
