/**
 * tracker_metrics.jsonl: flat or nested, with Python's NaN, complete or cut; an unreadable file is reported.
 */

import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { METRICS_FILE_BYTES_MAX, parseMetrics, readMetricsFile } from '../../src/trackers/metrics-file.ts';

const summary = (value: unknown): string => `${JSON.stringify({ summary: value })}\n`;

describe('metrics', () => {
  it('are the same from flat and from nested keys', () => {
    const metrics = { 'train/loss': '1.4775368163911704', 'eval/paloma/c4_en/bpb': '1.12509', global_step: '5153' };
    const flat = { 'train/loss': 1.4775368163911704, 'eval/paloma/c4_en/bpb': 1.12509, global_step: 5153 };
    const nested = {
      train: { loss: 1.4775368163911704 },
      eval: { paloma: { c4_en: { bpb: 1.12509 } } },
      global_step: 5153,
    };
    expect(parseMetrics(summary(flat))).toEqual({ kind: 'metrics', metrics });
    expect(parseMetrics(summary(nested))).toEqual({ kind: 'metrics', metrics });
  });

  it('omit values that are not numbers, and keep NaN and Infinity', () => {
    const mixed = { a: 'NaN', b: 'text', c: null, d: true, e: [1], f: '-Infinity' };
    expect(parseMetrics(summary(mixed))).toEqual({ kind: 'metrics', metrics: { a: 'NaN', f: '-Infinity' } });
    expect(parseMetrics('{"summary": {"train/loss": NaN, "x": Infinity}}\n')).toEqual({
      kind: 'metrics',
      metrics: { 'train/loss': 'NaN', x: 'Infinity' },
    });
  });

  it('are decimals without exponent that read back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const read = parseMetrics(summary({ value }));
        const text = read.kind === 'metrics' ? (read.metrics['value'] ?? '') : '';
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(text) === value).toBe(true);
      }),
    );
  });

  it('come from the last complete record', () => {
    const whole = `${summary({ a: 1 })}${summary({ a: 2 })}`;
    expect(parseMetrics(`${whole}{"summary": {"a"`)).toEqual({ kind: 'metrics', metrics: { a: '2' } });
  });

  it.each([
    ['nothing', ''],
    ['only a torn line', '{"summary": {'],
    ['a broken record', '{"summary":\n'],
    ['a record without summary', '{"a": 1}\n'],
  ])('are unreadable in %s', (_, text) => {
    expect(parseMetrics(text).kind).toBe('unreadable');
  });

  // threat T235
  it('omit names over the length limit, and are unreadable if an entry has no room for them', () => {
    const named = (length: number) => ({ ['n'.repeat(length)]: 1, a: 2 });
    const { metricNameCharactersMax: most } = limits;
    expect(parseMetrics(summary(named(most + 1)))).toEqual({ kind: 'metrics', metrics: { a: '2' } });
    expect(parseMetrics(summary(named(most)))).toMatchObject({ metrics: { a: '2', ['n'.repeat(most)]: '1' } });
    const many = Array.from({ length: 2_000 }, (_, index) => `${'n'.repeat(most - 10)}${index}`);
    const unseen = many.slice(0, 1_000).map((name) => `${'\u0001'.repeat(100)}${name.slice(100)}`);
    for (const names of [many, unseen])
      expect(parseMetrics(summary(Object.fromEntries(names.map((name) => [name, 1])))).kind).toBe('unreadable');
  });

  // threat T242
  it('are unreadable if the job replaced the file by a pipe or an endless link', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-metrics-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [pipe, endless] = [join(folder, 'pipe'), join(folder, 'endless')];
    await execa('mkfifo', [pipe]);
    await symlink('/dev/zero', endless);
    expect((await readMetricsFile(pipe)).kind).toBe('unreadable');
    expect((await readMetricsFile(endless)).kind).toBe('unreadable');
  });

  it('are missing, unreadable or read from the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-metrics-'));
    const path = join(folder, 'tracker_metrics.jsonl');
    expect(await readMetricsFile(path)).toEqual({ kind: 'missing' });
    await writeFile(path, summary({ a: 0.5 }));
    expect(await readMetricsFile(path)).toEqual({ kind: 'metrics', metrics: { a: '0.5' } });
    await writeFile(path, ' '.repeat(METRICS_FILE_BYTES_MAX + 1));
    expect((await readMetricsFile(path)).kind).toBe('unreadable');
    expect((await readMetricsFile(folder)).kind).toBe('unreadable');
    await rm(folder, { recursive: true });
  });
});
