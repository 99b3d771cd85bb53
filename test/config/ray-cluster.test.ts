/** A cluster of the `ray` engine in the config: optional keys, and errors with line and column. */

import { describe, expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { positionOf, replaceInConfig } from './small-config.ts';

const NOW = brandAs(Date.parse('2026-06-01T00:00:00Z'), isInstant);
const DASHBOARD = 'dashboard: "http://10.0.0.2:8265"';
const withRay = (keys: string): string =>
  replaceInConfig(
    'local: { engine: local, acceleratorHoursPerRun: "2.5" }',
    `local: { engine: ray, acceleratorHoursPerRun: "2.5", ${keys} }`,
  );

describe('a Ray cluster', () => {
  it('needs only a dashboard', () => {
    const reading = readLabConfig(withRay(DASHBOARD), NOW);
    expect(reading).toMatchObject({
      kind: 'valid',
      config: {
        clusters: {
          local: { engine: 'ray', tokenFrom: 'RAY_AUTH_TOKEN', requestTimeoutMs: 30_000, tunnel: null, scripts: null },
        },
      },
    });
  });

  it("has Marin's own entry points if `scripts` is empty", () => {
    const reading = readLabConfig(withRay(`${DASHBOARD}, scripts: {}`), NOW);
    if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading));
    const cluster = reading.config.clusters['local'];
    if (cluster?.engine !== 'ray') throw new Error('no Ray cluster');
    expect(cluster.scripts?.submit.join(' ')).toBe(
      '{python} {checkout}/lib/marin/src/marin/run/ray_run.py --no_wait --cluster {clusterFile} --submission-id {submissionId} {environment} -- {command}',
    );
  });
});

type Row = readonly [name: string, keys: string, code: string, path: string, where: string];
const ERRORS: readonly Row[] = [
  ['without a dashboard', 'scripts: {}', 'missing-key', 'clusters.local.dashboard', 'local: {'],
  [
    'with a key of another engine',
    `${DASHBOARD}, jobs: records`,
    'unknown-key',
    'clusters.local.jobs',
    'jobs: records',
  ],
  ['with an invalid address', 'dashboard: "10.0.0.2:8265"', 'bad-value', 'clusters.local.dashboard', 'dashboard:'],
  [
    'with a password in its address',
    'dashboard: "http://me:secretpassword@10.0.0.2:8265"',
    'secret-value',
    'clusters.local.dashboard',
    'dashboard:',
  ],
  [
    'with an unknown placeholder',
    `${DASHBOARD}, scripts: { pythonWithoutUv: [/opt/python, "{jobId}"] }`,
    'placeholder-unknown',
    'clusters.local.scripts.pythonWithoutUv.1',
    '"{jobId}"',
  ],
  [
    'with several arguments in one string',
    `${DASHBOARD}, scripts: { submit: [submit, "{submissionId}", "{environment}", "--run={command}"] }`,
    'placeholder-alone',
    'clusters.local.scripts.submit.3',
    '"--run=',
  ],
  [
    'if it submits without ferrybot’s submission id',
    `${DASHBOARD}, scripts: { submit: [submit, "{environment}", "{command}"] }`,
    'placeholder-missing',
    'clusters.local.scripts.submit',
    'submit:',
  ],
  [
    'if its jobs do not get their identity',
    `${DASHBOARD}, scripts: { submit: [submit, "{submissionId}", "{command}"] }`,
    'placeholder-missing',
    'clusters.local.scripts.submit',
    'submit:',
  ],
  [
    'if its script would look up the name of the cluster in the files of the change',
    `${DASHBOARD}, scripts: { submit: [submit, "{cluster}", "{submissionId}", "{environment}", "{command}"] }`,
    'placeholder-unknown',
    'clusters.local.scripts.submit.1',
    '"{cluster}"',
  ],
  [
    'if its cluster file is not one of the available files of the default branch',
    `${DASHBOARD}, scripts: { checkout: [scripts/ray], clusterFile: "infra/a.yaml" }`,
    'cluster-file-missing',
    'clusters.local.scripts.clusterFile',
    'clusterFile:',
  ],
  [
    'if its program is a file of the change',
    `${DASHBOARD}, scripts: { pythonWithoutUv: [.venv/bin/python] }`,
    'program-of-the-change',
    'clusters.local.scripts.pythonWithoutUv.0',
    '.venv/bin/python',
  ],
  [
    'if it would get one of ferrybot’s keys',
    `${DASHBOARD}, homeFiles: { .ssh/id: FERRYBOT_RUNNER_KEY }`,
    'reserved-name',
    'clusters.local.homeFiles..ssh/id',
    '.ssh/id:',
  ],
  [
    'with the token of the workflow',
    `${DASHBOARD}, tokenFrom: GITHUB_TOKEN`,
    'reserved-name',
    'clusters.local.tokenFrom',
    'tokenFrom:',
  ],
  [
    'with a home file outside the home folder',
    `${DASHBOARD}, homeFiles: { ../id: CLUSTER_KEY }`,
    'bad-value',
    'clusters.local.homeFiles.../id',
    '../id',
  ],
  [
    'with a secret in a template',
    `${DASHBOARD}, scripts: { pythonWithoutUv: [/opt/python, "--token=${'0123456789abcdef'.repeat(2)}01234567"] }`,
    'secret-value',
    'clusters.local.scripts.pythonWithoutUv.1',
    '"--token',
  ],
];

describe('a Ray cluster is refused', () => {
  it.each(ERRORS)('%s', (_, keys, code, path, where) => {
    const text = withRay(keys);
    const reading = readLabConfig(text, NOW);
    expect(reading).toMatchObject({
      kind: 'invalid',
      problems: [{ severity: 'error', code, path, ...positionOf(text, where) }],
    });
  });

  it('if the engine is missing or unknown', () => {
    const missing = replaceInConfig('engine: local, ', '');
    expect(readLabConfig(missing, NOW)).toMatchObject({
      problems: [{ code: 'missing-key', path: 'clusters.local.engine' }],
    });
    const misspelt = replaceInConfig('engine: local', 'engine: locl');
    expect(readLabConfig(misspelt, NOW)).toMatchObject({
      problems: [{ code: 'bad-value', message: expect.stringMatching(/one of local, ray.*did you mean local/) }],
    });
  });
});
