/** What the scan's output means for the workers, and when it means nothing. */

import { describe, expect, test } from 'vitest';
import { readScanReport, type ScanReport } from '../../../src/care/disk/scan-report.ts';

const read = (stdout: string, more: { exitCode?: number | null; stderr?: string } = {}): ScanReport =>
  readScanReport({ stdout, stderr: more.stderr ?? '', exitCode: more.exitCode === undefined ? 0 : more.exitCode }, 10);

describe('a scan', () => {
  test('yields the workers under its threshold, each once, from any output stream', () => {
    const report = read('', {
      stderr: [
        '2026-11-21 03:00:00 - INFO - Checking disk of 3 TPU VMs',
        '2026-11-21 03:00:09 - WARNING -   ⚠ ray-vllm-b worker 1: 3% free (2.9G available)',
        '  ⚠️ ray-vllm-a worker 0: 9.5% free (9.2G available)',
        '  ⚠ ray-vllm-b worker 1: 4% free (3.9G available)',
        '[DRY RUN] Would restart ray-vllm-b',
      ].join('\n'),
    });
    expect(report).toEqual({
      kind: 'read',
      problems: [],
      low: [
        { tpu: 'ray-vllm-a', worker: 0, percentFree: 9.5, available: '9.2G' },
        { tpu: 'ray-vllm-b', worker: 1, percentFree: 3, available: '2.9G' },
      ],
    });
  });

  test('is read from the script that the policy names, which reports restarts even in a dry run', () => {
    const at = '2025-11-21 03:00:09,100 -';
    const stderr = [
      `${at} INFO - Cluster: marin-us-central1-vllm`,
      `${at} INFO - Threshold: 10% free space`,
      `${at} INFO - Dry run: True`,
      `${at} INFO - Found 2 manual workers for cluster`,
      `${at} INFO - \nCollecting worker information...`,
      `\r  0%|          | 0/2 [00:00<?, ?it/s]${at} INFO -   ray-vllm-a: 2 workers`,
      `\r100%|██████████| 2/2 [00:01<00:00,  1.64it/s]`,
      `${at} INFO - \nChecking disk space on 4 workers...`,
      `\r  0%|          | 0/4 [00:00<?, ?it/s]${at} WARNING -   ⚠ ray-vllm-a worker 0: 4% free (3.9G available)`,
      `${at} INFO - \n${'='.repeat(80)}`,
      `${at} INFO - Found 1 workers with <10% free space:`,
      `${at} INFO -   ray-vllm-a worker 0: 4% free (3.9G)`,
      `${at} INFO - \n${'='.repeat(80)}`,
      `${at} INFO - Restarting ray_docker containers...`,
      `${at} INFO - Restarting ray-vllm-a worker 0`,
      `${at} INFO -   [DRY RUN] Would restart ray-vllm-a worker 0`,
      `${at} INFO - \n${'='.repeat(80)}`,
      `${at} INFO - Summary:`,
      `${at} INFO -   Successfully restarted: 1/1`,
    ].join('\n');
    expect(read('', { stderr })).toEqual({
      kind: 'read',
      problems: [],
      low: [{ tpu: 'ray-vllm-a', worker: 0, percentFree: 4, available: '3.9G' }],
    });
  });

  test("is read from Marin's current script, which prints no symbols", () => {
    const head = '2026-11-21 03:00:00,100 - INFO - ';
    const table = `${head}\nWorker Summary:\n  ray-vllm-b:1  manual  v5p-8  3% (2.9G)`;
    const low = '2026-11-21 03:00:09,100 - WARNING -   ray-vllm-b worker 1: 3% free (2.9G)';
    const would = `${head}[DRY RUN] Would restart ray-vllm-b worker 1`;
    expect(read('', { stderr: [table, `${head}Found 1 workers with <10% free:`, low, would].join('\n') })).toEqual({
      kind: 'read',
      problems: [],
      low: [{ tpu: 'ray-vllm-b', worker: 1, percentFree: 3, available: '2.9G' }],
    });
    const fine = { kind: 'read', low: [], problems: [] };
    expect(read('', { stderr: `${head}All workers have >10% free disk space` })).toEqual(fine);
    expect(read('', { stderr: `${head}✓ ray-vllm-b worker 1: restarted` })).toMatchObject({ code: 'not-a-dry-run' });
    expect(read('', { stderr: `${head}Deleting preempted TPU: ray-a` })).toMatchObject({ code: 'not-a-dry-run' });
  });

  test('reports all workers as fine only in its own sentence and for the requested threshold', () => {
    expect(read('✓ All workers have >10% free disk space\n')).toEqual({ kind: 'read', low: [], problems: [] });
    expect(read('✓ All workers have >20% free disk space\n')).toMatchObject({ code: 'other-threshold' });
    expect(read('All workers have free disk space\n')).toMatchObject({ code: 'nothing-said' });
  });

  test.each([
    ['prints nothing', '', 0, 'nothing-said'],
    ['prints only white space', '\n \n', 0, 'nothing-said'],
    ['was killed', '✓ All workers have >10% free disk space', null, 'not-run'],
    ['failed after it printed a result', '✓ All workers have >10% free disk space', 1, 'failed'],
    ['did not start', '', 127, 'failed'],
    [
      'contradicts itself',
      '  ⚠ a worker 0: 3% free (3G available)\n✓ All workers have >10% free disk space',
      0,
      'contradiction',
    ],
    ['acted', '  ✓ ray-vllm-a worker 0: Container restarted', 0, 'not-a-dry-run'],
    ['verified a restarted worker', '  Verified running: 0/1', 0, 'not-a-dry-run'],
    [
      'restarts a worker and does not call it a dry run',
      `Restarting ray-vllm-a worker 0\nRestarting ray-vllm-a worker 1\n[DRY RUN] Would restart ray-vllm-a worker 0`,
      0,
      'not-a-dry-run',
    ],
    ['prints only a summary', 'Summary:\n  Successfully restarted: 1/1', 0, 'nothing-said'],
  ])('that %s is unreadable', (_what, stdout, exitCode, code) => {
    expect(read(stdout, { exitCode })).toMatchObject({ kind: 'unreadable', code });
  });

  test.each([
    ['a name that resembles an option', '  ⚠ --quiet worker 0: 3% free (3G available)', 'bad-name'],
    ['a name with other text in it', '  ⚠ a;reboot worker 0: 3% free (3G available)', 'bad-name'],
    ['a name with capitals', '  ⚠ TPU worker 0: 3% free (3G available)', 'bad-name'],
    ['a worker without numbers', '  ⚠ ray-vllm-a worker 0: unknown', 'unknown-worker'],
    ['a worker that did not answer', 'ERROR: ray-vllm-a worker 1: connection refused', 'unknown-worker'],
    ['a worker that timed out', 'ray-vllm-a: timed out after 30 s', 'unknown-worker'],
    ['a number above the threshold', '  ⚠ ray-vllm-a worker 0: 30% free (30G available)', 'not-under'],
  ])('is incomplete if it contains %s', (_what, line, code) => {
    const both = `  ⚠ ray-vllm-z worker 0: 2% free (2G available)\n${line}`;
    const problems = [expect.stringMatching(`^${code}: `)];
    expect(read(both)).toMatchObject({ kind: 'read', low: [{ tpu: 'ray-vllm-z' }], problems });
    // The other workers are not fine either just because none was named.
    expect(read(line)).toMatchObject({ kind: 'read', low: [], problems });
    expect(read(`${line}\n✓ All workers have >10% free disk space`)).toMatchObject({ kind: 'read', problems });
  });
});
