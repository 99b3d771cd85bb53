/**
 * Defences of cluster changes, removed one at a time as in permissive.test.ts: deleted nodes, cleaned disks,
 * the cleanup job.
 */

import { describe, expect, it, vi } from 'vitest';
import { known } from '../../src/domain/values.ts';
import { CHANGES } from './care-labs.ts';
import { type CareOptions, playCare } from './care-sequence.ts';
import { showDefences } from './permissive.ts';

const { gone } = await vi.hoisted(() => import('./permissive.ts'));
type Since = Parameters<typeof import('../../src/domain/launch/order.ts').wasPostedBefore>[0];
const LONG_AGO = known(0 as Since);

vi.mock('../../src/domain/launch/order.ts', async (original) => {
  const real = await original<typeof import('../../src/domain/launch/order.ts')>();
  const compareDigest: typeof real.compareDigest = (given, digest) => {
    const naming = real.compareDigest(given, digest);
    return gone.has('enough digits') && naming === 'short' ? 'named' : naming;
  };
  return { ...real, compareDigest };
});

vi.mock('../../src/config/approvals-schema.ts', async (original) => {
  const real = await original<typeof import('../../src/config/approvals-schema.ts')>();
  const approvalMaxAgeMs: typeof real.approvalMaxAgeMs = (config) =>
    gone.has('age of a consent') ? 1e12 : real.approvalMaxAgeMs(config);
  return { ...real, approvalMaxAgeMs };
});

vi.mock('../../src/domain/actor.ts', async (original) => {
  const real = await original<typeof import('../../src/domain/actor.ts')>();
  const permits: typeof real.permits = (...asked) => gone.has('the right to consent') || real.permits(...asked);
  return { ...real, permits };
});

// Control checks the shown text, and the executor checks it again.
vi.mock('../../src/run/decide-shown.ts', async (original) => {
  const real = await original<typeof import('../../src/run/decide-shown.ts')>();
  const listShowings: typeof real.listShowings = (texts, asOf) =>
    gone.has('proposal intact')
      ? new Map([...texts].map(([digest]) => [digest, LONG_AGO]))
      : real.listShowings(texts, asOf);
  return { ...real, listShowings };
});

// Every process that acts on a consent checks its state again.
vi.mock('../../src/actions/verify-action.ts', async (original) => {
  const real = await original<typeof import('../../src/actions/verify-action.ts')>();
  const findActionFault: typeof real.findActionFault = (facts, consent) =>
    real.findActionFault(
      {
        ...facts,
        ...(gone.has('brakes in the threads') ? { brakes: known([]) } : {}),
        ...(gone.has('proposal intact') ? { shownSince: LONG_AGO } : {}),
      },
      consent,
    );
  return { ...real, findActionFault };
});

// A file always has the identity that was seen first.
vi.mock('../../src/stores/buckets.ts', async (original) => {
  const real = await original<typeof import('../../src/stores/buckets.ts')>();
  const { folderBucket: bucket } = real;
  const first = new Map<string, string>();
  const nameOf = (key: string, identity: string): string => {
    if (!gone.has('the very file')) return identity;
    if (!first.has(key)) first.set(key, identity);
    return first.get(key) ?? identity;
  };
  const read: typeof bucket.read = async (key, most) => {
    const found = await bucket.read(key, most);
    return found.kind === 'unknown' || found.value === null
      ? found
      : known({ ...found.value, identity: nameOf(key, found.value.identity) });
  };
  const remove: typeof bucket.remove = async (key, identity) => {
    const now = gone.has('the very file') ? await bucket.read(key, 1_000_000) : null;
    const seen = now?.kind === 'known' ? now.value?.identity : undefined;
    return bucket.remove(key, seen ?? identity);
  };
  return { ...real, folderBucket: { ...bucket, read, remove } };
});

describe.each(CHANGES)('the %s', (change) => {
  it('is changed after a valid consent without a reported fault', async () => {
    const { faults, starts } = await playCare(1, { change, moves: ['mira consents'] });
    expect({ faults, isCalled: starts > 0 }).toEqual({ faults: [], isCalled: true });
  });
});

const OF_ALL: readonly (readonly [gone: string, moves: readonly string[]])[] = [
  ['enough digits', ['a consent of too few digits']],
  ['brakes in the threads', ['a brake at the last moment']],
  ['proposal intact', ['an edited proposal']],
  ['age of a consent', ['an executor that comes late']],
  ['the right to consent', ['a stranger consents']],
];

const DEFENCES: readonly (readonly [gone: readonly string[], asked: CareOptions])[] = [
  ...OF_ALL.flatMap(([defence, moves]) => CHANGES.map((change) => [[defence], { change, moves }] as const)),
  [['the very file'], { change: 'checkpoints', moves: ['what was listed is written anew'] }],
];

showDefences(DEFENCES, playCare);
