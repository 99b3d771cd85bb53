/**
 * What a submit hands to Slurm: settings and paths as arguments, the identity as comment, and never a value
 * of the job.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSameImage } from '../../src/domain/launch/contract.ts';
import { clusterSchema, engineDefinition } from '../../src/engines/registry.ts';
import { formatComment, parseComment } from '../../src/engines/slurm/commands.ts';
import { createSlurmEngine } from '../../src/engines/slurm/engine.ts';
import { jobPaths } from '../../src/engines/slurm/job-folder.ts';
import { sbatchArguments } from '../../src/engines/slurm/submit.ts';
import { submitTo } from '../support/capabilities.ts';
import { slurmConfig } from '../support/slurm-config.ts';

const METADATA = { run: 'ferry-daily-20261121', attempt: 2, manifest: 'sha256:aa', proof: 'p|q %,\n' };
const PATHS = jobPaths('/shared/jobs', 'ferry-1');
const USUAL = [
  '--parsable',
  '--job-name=ferry-1',
  '--comment=ferrybot run=ferry-daily-20261121 attempt=2 manifest=sha256%3Aaa proof=p%7Cq%20%25%2C%0A',
  '--dependency=singleton',
  '--export=NIL',
  '--input=/dev/null',
  '--chdir=/shared/jobs/ferry-1',
  '--output=/shared/jobs/ferry-1/slurm-%j.out',
];

describe('the arguments of sbatch', () => {
  it('are minimal when the config sets nothing', () => {
    const cluster = slurmConfig({ folder: '/shared/jobs' });
    expect(sbatchArguments(cluster, PATHS, 'ferry-1', METADATA)).toEqual([
      ...USUAL,
      '--no-requeue',
      '/shared/jobs/ferry-1/wrapper',
      '/shared/jobs/ferry-1',
      'once',
    ]);
  });

  it('contain each setting as one argument', () => {
    const cluster = slurmConfig({
      folder: '/shared/jobs',
      partition: 'gpu',
      account: 'lab',
      qos: 'long',
      reservation: 'hero',
      timeLimit: '1-12:00:00',
      gres: 'gpu:a100:8',
      constraint: 'a100&nvlink',
      nodes: 4,
      cpusPerTask: 16,
      memoryMb: 64_000,
      containerImage: 'nvcr.io#nvidia/pytorch:24.10-py3',
      mayRequeue: true,
    });
    expect(sbatchArguments(cluster, PATHS, 'ferry-1', METADATA)).toEqual([
      ...USUAL,
      '--requeue',
      '--partition=gpu',
      '--account=lab',
      '--qos=long',
      '--reservation=hero',
      '--time=1-12:00:00',
      '--gres=gpu:a100:8',
      '--constraint=a100&nvlink',
      '--nodes=4',
      '--cpus-per-task=16',
      '--mem=64000M',
      '--container-image=nvcr.io#nvidia/pytorch:24.10-py3',
      '--container-mounts=/shared/jobs/ferry-1:/shared/jobs/ferry-1',
      '/shared/jobs/ferry-1/wrapper',
      '/shared/jobs/ferry-1',
      'restarts',
    ]);
  });
});

it('reads metadata back from the comment, and rejects any other comment', () => {
  expect(parseComment(formatComment(METADATA))).toEqual(METADATA);
  const { proof: _, ...unsigned } = METADATA;
  expect(parseComment(formatComment(unsigned))).toEqual(unsigned);
  const text = formatComment(unsigned);
  for (const wrong of [
    '',
    '(null)',
    'ferrybot',
    text.replace('attempt=2', 'attempt=x'),
    `${text} run=other`,
    `${text} x=1`,
    `${text} proof=%ZZ`,
    `${text} proof=%FF`,
    text.replace('ferrybot', 'ferry'),
  ])
    expect(parseComment(wrong)).toBeNull();
});

describe('a Slurm cluster in the config', () => {
  const issuesOf = (settings: object) => {
    const cluster = clusterSchema.parse({
      engine: 'slurm',
      folder: '/shared/jobs',
      acceleratorHoursPerRun: '2',
      ...settings,
    });
    return engineDefinition(cluster).configIssues(['clusters', 'lab'], cluster);
  };
  const refuses = (settings: object): boolean =>
    !clusterSchema.safeParse({ engine: 'slurm', folder: '/shared/jobs', acceleratorHoursPerRun: '2', ...settings })
      .success;

  it('rejects folders that Slurm would expand, options as values, and arrays', () => {
    for (const folder of ['jobs', '/shared/%j', '/shared/a b', '/shared/../etc', '/shared/a:b', '/shared/a,b'])
      expect(refuses({ folder }), folder).toBe(true);
    for (const wrong of [
      { partition: '--array=1-9' },
      { account: 'a b' },
      { gres: 'gpu:1 --wrap=x' },
      { timeLimit: 'long' },
      { array: '1-9' },
      { containerImage: '-x' },
    ])
      expect(refuses(wrong), JSON.stringify(wrong)).toBe(true);
    expect(issuesOf({})).toEqual([]);
    expect(issuesOf({ modules: { load: ['cuda/12.4'] }, containerImage: 'x' })).toHaveLength(1);
  });

  it('puts the settings that decide how and where a job runs into the manifest', () => {
    const launcher = (settings: object): unknown => {
      const cluster = clusterSchema.parse({
        engine: 'slurm',
        folder: '/shared/jobs',
        acceleratorHoursPerRun: '2',
        ...settings,
      });
      return JSON.parse(engineDefinition(cluster).traits(cluster).launcher ?? '');
    };
    expect(launcher({ partition: 'gpu', modules: { load: ['cuda/12.4'] } })).toMatchObject({
      partition: 'gpu',
      account: null,
      mayRequeue: false,
      modules: { load: ['cuda/12.4'] },
    });
  });

  it('reports its container image in the form that contracts use', () => {
    const image = (containerImage: string | null): string | undefined => {
      const cluster = slurmConfig({ folder: '/shared/jobs', containerImage });
      return engineDefinition(cluster).traits(cluster).image;
    };
    expect(image('nvcr.io#nvidia/pytorch:24.10-py3')).toBe('nvcr.io/nvidia/pytorch:24.10-py3');
    expect(image('docker://lab@nvcr.io#nvidia/pytorch:24.10-py3')).toBe('nvcr.io/nvidia/pytorch:24.10-py3');
    expect(image('/images/trainer.sqsh')).toBe('/images/trainer.sqsh');
    expect(image(null)).toBeUndefined();
    expect(isSameImage('docker://nvidia/cuda', 'docker.io/nvidia/cuda:latest')).toBe(true);
    expect(isSameImage('/images/trainer.sqsh', '/images/trainer.sqsh')).toBe(true);
    expect(isSameImage('/images/trainer.sqsh', '/images/trainer-2.sqsh')).toBe(false);
  });
});

it('rejects a job with an environment that a shell would change, before anything is claimed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-slurm-'));
  try {
    const engine = createSlurmEngine({ cluster: slurmConfig({ folder, bin: folder }), path: '', now: Date.now });
    const spec = { submissionId: 'job-1', command: ['true'], workingDirectory: folder, metadata: METADATA };
    for (const name of ['UID', 'BASHOPTS', 'FERRYBOT_ENVIRONMENT', 'a-b', '1X', ''])
      expect(await submitTo(engine, { ...spec, env: { [name]: 'x' } })).toMatchObject({
        kind: 'rejected',
        code: 'refused',
      });
    expect(await submitTo(engine, { ...spec, env: { A: 'x\0y' } })).toMatchObject({ kind: 'rejected' });
    expect(await submitTo(engine, { ...spec, command: ['true', '\0'], env: {} })).toMatchObject({ kind: 'rejected' });
    // No controller answers: nothing was submitted, and the state is unknown.
    expect(await submitTo(engine, { ...spec, env: {} })).toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(/^nothing was submitted: scontrol/),
    });
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'unknown' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
