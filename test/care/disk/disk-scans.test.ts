/**
 * The scans of a cluster in the journal: the current findings, since when, and that an unreadable scan
 * changes nothing.
 */

import { describe, expect, test } from 'vitest';
import { addScan, type ClusterDisks, type DiskScan, isAllFine } from '../../../src/domain/care/machines.ts';
import { aScan, aWorker } from './scan-parts.ts';

const folded = (...scans: readonly DiskScan[]): ClusterDisks | undefined =>
  scans
    .map((scan, seq) => ({ ...scan, at: `2026-11-2${seq}T06:00:00.000Z`, seq }))
    .reduce<ReadonlyMap<string, ClusterDisks>>(addScan, new Map())
    .get('us-central1');

describe('the scans of a cluster', () => {
  test('reflect the newest scan, and since when its findings are the same', () => {
    const low = aScan({ workers: [aWorker({ percentFree: '4.0' })] });
    const lower = aScan({ workers: [aWorker({ percentFree: '2.0' })] });
    const other = aScan({ workers: [aWorker({ finding: 'mount-there' })] });
    expect(folded(other, low, lower)).toMatchObject({ newest: { seq: 2 }, readable: { seq: 2 }, since: { seq: 1 } });
    expect(folded(low, lower, other)).toMatchObject({ readable: { seq: 2 }, since: { seq: 2 } });
  });

  test('are unchanged after a scan that could not be read', () => {
    const unread = aScan({ reading: 'unreadable', why: 'no answer', workers: [] });
    const low = aScan({ workers: [aWorker()] });
    expect(folded(low, unread)).toMatchObject({ newest: { seq: 1 }, readable: { seq: 0 }, since: { seq: 0 } });
    expect(folded(low, unread, low)).toMatchObject({ readable: { seq: 2 }, since: { seq: 0 } });
    expect(folded(unread)).toMatchObject({ newest: { seq: 0 }, readable: null, since: null });
  });

  test('belong to one cluster each', () => {
    expect(folded(aScan(), aScan({ cluster: 'eu-west4' }))).toMatchObject({ newest: { seq: 0 } });
  });

  test('are all fine only if every worker was checked', () => {
    expect(isAllFine(aScan())).toBe(true);
    expect(isAllFine(aScan({ reading: 'partial' }))).toBe(false);
    expect(isAllFine(aScan({ reading: 'unreadable' }))).toBe(false);
    expect(isAllFine(aScan({ workers: [aWorker({ level: 'warning' })] }))).toBe(false);
  });
});
