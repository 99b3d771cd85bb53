/** Disk care in the config: the policy's own commands by default, and errors with line and column. */

import { describe, expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { positionOf, replaceInConfig } from './small-config.ts';

const NOW = brandAs(Date.parse('2026-06-01T00:00:00Z'), isInstant);
const LEAST = 'mountPoint: /tmp/gcsfuse_mount, clusterFile: infra/marin-us-central1-vllm.yaml';
const withDisk = (keys: string): string =>
  replaceInConfig(
    'local: { engine: local, acceleratorHoursPerRun: "2.5" }',
    `local: { engine: ray, acceleratorHoursPerRun: "2.5", dashboard: "http://10.0.0.2:8265", gcp: { project: example-lab, zones: [us-central1-a] }, disk: { ${keys} } }`,
  );

describe('disk care', () => {
  it("has the guidelines' own commands and thresholds by default", () => {
    const reading = readLabConfig(withDisk(LEAST), NOW);
    if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading));
    const cluster = reading.config.clusters['local'];
    const disk = cluster?.engine === 'ray' ? cluster.disk : null;
    expect(disk).toMatchObject({ thresholdPercent: 10, warnPercent: 20, cleanupAlive: null });
    expect([disk?.scan, disk?.initWorker, disk?.startCleanup].map((command) => command?.join(' '))).toEqual([
      'uv run scripts/ray/cleanup_disk.py --config {clusterFile} --threshold {threshold} --dry-run',
      'uv run scripts/ray/cluster.py --config {clusterFile} init-worker {worker}',
      'uv run scripts/ray/cluster.py --config {clusterFile} start-cleanup',
    ]);
  });

  const refused: readonly (readonly [name: string, keys: string, code: string, path: string, where: string])[] = [
    [
      'a mount point with parent folders',
      LEAST.replace('/tmp/gcsfuse_mount', '/tmp/..'),
      'bad-value',
      'mountPoint',
      'mountPoint:',
    ],
    ['the root folder', LEAST.replace('/tmp/gcsfuse_mount', '/'), 'bad-value', 'mountPoint', 'mountPoint:'],
    [
      'a mount point that contains a command',
      LEAST.replace('/tmp/gcsfuse_mount', '"/tmp/$(reboot)"'),
      'bad-value',
      'mountPoint',
      'mountPoint:',
    ],
    ['thresholds in the wrong order', `${LEAST}, warnPercent: 5`, 'thresholds-order', 'warnPercent', 'warnPercent:'],
    ['a scan command that also deletes', `${LEAST}, scan: [scan.py, "{threshold}"]`, 'scan-not-dry', 'scan', 'scan:'],
    ['a scan without a threshold', `${LEAST}, scan: [scan.py, --dry-run]`, 'placeholder-missing', 'scan', 'scan:'],
    [
      'a check pattern that matches nothing',
      `${LEAST}, cleanupAlive: { command: [look], expect: "(" }`,
      'bad-value',
      'cleanupAlive.expect',
      'expect:',
    ],
    [
      "the workflow's token for gcloud",
      `${LEAST}, passVariables: [GITHUB_TOKEN]`,
      'reserved-name',
      'passVariables.0',
      'GITHUB_TOKEN',
    ],
  ];
  it.each(refused)('refuses %s', (_, keys, code, path, where) => {
    const text = withDisk(keys);
    expect(readLabConfig(text, NOW)).toMatchObject({
      kind: 'invalid',
      problems: [{ severity: 'error', code, path: `clusters.local.disk.${path}`, ...positionOf(text, where) }],
    });
  });

  it('refuses disk care without zones to find the workers', () => {
    const text = withDisk(LEAST).replace('gcp: { project: example-lab, zones: [us-central1-a] }, ', '');
    expect(readLabConfig(text, NOW)).toMatchObject({
      problems: [{ code: 'disk-nowhere', path: 'clusters.local.disk', ...positionOf(text, 'disk: {') }],
    });
  });
});
