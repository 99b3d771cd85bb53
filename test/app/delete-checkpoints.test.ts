/**
 * A clean-up of checkpoints at the store deletes only listed, unprotected checkpoints, also while others
 * write and when its runner dies at any point.
 */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { performSteps } from '../../src/actions/change-cluster.ts';
import { createCheckpointDeletion } from '../../src/actions/delete-checkpoints.ts';
import {
  type CheckpointNeeds,
  checkpointIdentity,
  decideRetention,
  type Retention,
} from '../../src/checkpoints/cleanup.ts';
import type { ChangeStep, CheckpointDeletion } from '../../src/domain/actions/action.ts';
import { deletionStep, namedStep } from '../../src/domain/checkpoint/stored.ts';
import { brandAs, isInstant, known, type Observed } from '../../src/domain/values.ts';
import { type Bucket, createStore } from '../../src/stores/store.ts';
import { mira } from '../care/consent-parts.ts';
import { permitFor } from '../support/capabilities.ts';

const ROOTS = ['gs://lab/run/checkpoints', 'gs://lab-tmp/run'] as const;
const WROTE = brandAs(1_000_000, isInstant);
const LONG_AGO = brandAs(5, isInstant);
const KEEP = 2;

class Killed extends Error {}

type Object = { readonly text: string; readonly version: number; readonly at: typeof WROTE };

/** A bucket in memory. `before` runs ahead of each request, and may write or throw. */
function memoryBucket(before: () => void): {
  readonly bucket: Bucket;
  readonly objects: Map<string, Object>;
  readonly removed: string[];
} {
  const objects = new Map<string, Object>();
  const removed: string[] = [];
  const identity = ({ text, version }: Object): string => `${version}-${text.length}`;
  const bucket: Bucket = {
    page: async ({ prefix, isDeep }) => {
      before();
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix));
      const isBelow = (key: string): boolean => key.slice(prefix.length).includes('/');
      const folders = keys.filter(isBelow).map((key) => `${prefix}${key.slice(prefix.length).split('/')[0]}/`);
      const here = isDeep ? keys : keys.filter((key) => !isBelow(key));
      const found = here.flatMap((key) => {
        const one = objects.get(key);
        return one === undefined ? [] : [{ key, bytes: one.text.length, identity: identity(one) }];
      });
      return known({ folders: isDeep ? [] : [...new Set(folders)], objects: found, next: null });
    },
    read: async (key) => {
      before();
      const one = objects.get(key);
      return known(one === undefined ? null : { text: one.text, writtenAt: one.at, identity: identity(one) });
    },
    remove: async (key, expected) => {
      before();
      const one = objects.get(key);
      if (one === undefined) return known('removed');
      if (identity(one) !== expected) return known('changed');
      objects.delete(key);
      removed.push(key);
      return known('removed');
    },
    removeEmptyFolders: async () => undefined,
  };
  return { bucket, objects, removed };
}

function needs(change: Partial<CheckpointNeeds>): CheckpointNeeds {
  const from = brandAs(900_000, isInstant);
  return {
    lineage: { attempts: [{ attempt: 1, from, until: brandAs(1_100_000, isInstant), startStep: 0 }], rejections: [] },
    sources: [`${ROOTS[0]}/step-200`],
    otherRuns: [],
    otherRunsSources: [`${ROOTS[0]}/step-400`],
    startedDeletions: [],
    finalSteps: [500],
    milestones: [300],
    writtenUpTo: 1_000,
    ...change,
  };
}

/** A run's checkpoints in a store, and the approved list. */
function scene(before: () => void) {
  const { bucket, objects, removed } = memoryBucket(before);
  const store = createStore({ bucket, base: 'gs://', sleep: async () => undefined });
  let its = needs({});
  let held: string | null = null;
  const judge = async (): Promise<{ readonly retention: Observed<Retention>; readonly blockedBy: string | null }> => {
    const roots = await Promise.all(ROOTS.map(async (root) => ({ root, found: await store.list(root) })));
    return { retention: decideRetention(roots, its, KEEP), blockedBy: held };
  };
  return {
    objects,
    removed,
    judge,
    save: (path: string, version = 0, at = WROTE, parts: readonly string[] = ['w', 'metadata.json']) => {
      for (const part of parts) {
        const text = part === 'w' ? 'w' : JSON.stringify({ step: namedStep(path), timestamp: '2026-11-20T10:00:00' });
        objects.set(`${path.slice('gs://'.length)}/${part}`, { text, version, at });
      }
    },
    reject: (step: number) => {
      its = needs({ ...its, lineage: { ...its.lineage, rejections: [{ step, at: WROTE }] } });
    },
    begin: (paths: readonly string[]) => {
      its = needs({ ...its, startedDeletions: [...its.startedDeletions, ...paths] });
    },
    hold: (why: string | null) => {
      held = why;
    },
    listed: async (): Promise<readonly ChangeStep[]> => {
      const { retention } = await judge();
      if (retention.kind === 'unknown') throw new Error(retention.why);
      return retention.value.candidates.map(({ stored }) =>
        deletionStep(stored.path, checkpointIdentity(stored) ?? ''),
      );
    },
    executor: (steps: readonly ChangeStep[]) => {
      const deletion: CheckpointDeletion = {
        kind: 'delete-checkpoint',
        run: 'r',
        roots: ROOTS,
        keep: 2,
        requestedBy: mira,
      };
      return createCheckpointDeletion({ deletion, steps, roots: ROOTS, judge, storeOf: () => known(store) });
    },
  };
}

const NOW = brandAs(Date.now(), isInstant);

async function actOn(executor: ReturnType<ReturnType<typeof scene>['executor']>, steps: readonly ChangeStep[]) {
  if (steps.length === 0) return null;
  const place = { now: () => brandAs(Date.now(), isInstant), boundary: () => undefined };
  return performSteps(place, executor, steps, { capability: permitFor(...steps).capability, claimedAt: NOW });
}

/** Steps that are never deleted: of the launch, of another run, the final one, a milestone. */
const NEVER = [200, 300, 400, 500];

type Deed =
  | { readonly does: 'save' | 'rewrite'; readonly step: number; readonly root: number }
  | { readonly does: 'prune' }
  | { readonly does: 'kill' };

const step = fc.integer({ min: 1, max: 12 }).map((hundred) => hundred * 100);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ does: fc.constantFrom('save' as const, 'rewrite' as const), step, root: fc.nat(1) }),
  fc.constant({ does: 'prune' as const }),
  fc.constant({ does: 'kill' as const }),
);

describe('a clean-up at the store', () => {
  it('deletes nothing protected, foreign, unlisted or outside the roots, with concurrent writes and crashes', async () => {
    const layout = fc.array(fc.record({ step, root: fc.nat(1), isForeign: fc.boolean(), isHalf: fc.boolean() }), {
      maxLength: 14,
    });
    // After this number of requests, the deed happens.
    const script = fc.array(fc.record({ after: fc.integer({ min: 1, max: 60 }), deed }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(layout, script, async (saved, deeds) => {
        let requests = 0;
        const waiting = [...deeds];
        let isActing = false;
        const its = scene(() => {
          if (!isActing) return;
          requests += 1;
          for (const one of waiting.filter(({ after }) => after === requests)) play(one.deed);
        });
        const play = (one: Deed): void => {
          if (one.does === 'kill') throw new Killed();
          if (one.does === 'prune') {
            for (const key of [...its.objects.keys()]) if (key.startsWith('lab-tmp/')) its.objects.delete(key);
          } else if (one.does === 'save' || its.objects.has(`${ROOTS[one.root]?.slice(5)}/step-${one.step}/w`))
            its.save(`${ROOTS[one.root]}/step-${one.step}`, 1 + requests);
        };
        for (const { step: of, root, isForeign, isHalf } of saved)
          its.save(`${ROOTS[root]}/step-${of}`, 0, isForeign ? LONG_AGO : WROTE, isHalf ? ['w'] : undefined);
        its.save('gs://lab/other/checkpoints/step-100');
        const foreign = [...its.objects].filter(([, { at }]) => at === LONG_AGO).map(([key]) => key);
        // Another runner takes over from a dead one and lists the remaining checkpoints again.
        for (let round = 0; round < 4; round += 1) {
          const steps = await its.listed();
          const before = its.removed.length;
          const executor = its.executor(steps);
          its.begin(steps.flatMap(({ command }) => command[1] ?? []));
          isActing = true;
          try {
            await actOn(executor, steps);
          } catch (error) {
            if (!(error instanceof Killed)) throw error;
            isActing = false;
            const told = await executor.verify(NOW, true);
            expect(Object.keys(told.detail)).toHaveLength(steps.length);
            expect(its.removed.length).toBeGreaterThanOrEqual(before);
          }
          isActing = false;
          const consented = steps.map(({ command }) => `${command[1]?.slice('gs://'.length)}/`);
          for (const key of its.removed.slice(before)) {
            expect(
              consented.some((path) => key.startsWith(path)),
              key,
            ).toBe(true);
            const of = namedStep(key.split('/').slice(0, -1).join('/')) ?? 0;
            expect(NEVER).not.toContain(of);
            expect(of).toBeLessThanOrEqual(1_000);
          }
        }
        for (const key of foreign)
          expect(its.removed.filter((one) => one === key && its.objects.get(key)?.at === LONG_AGO)).toEqual([]);
        expect(its.objects.has('lab/other/checkpoints/step-100/w')).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('finishes the checkpoint that a dead runner left half deleted, and no other incomplete one', async () => {
    let left = Number.POSITIVE_INFINITY;
    const its = scene(() => {
      left -= 1;
      if (left === 0) throw new Killed();
    });
    for (const of of [100, 600, 700, 800]) its.save(`${ROOTS[0]}/step-${of}`);
    its.save(`${ROOTS[0]}/step-150`, 0, WROTE, ['w']);
    const steps = await its.listed();
    expect(steps.map(({ command }) => command[1])).toEqual([`${ROOTS[0]}/step-100`, `${ROOTS[0]}/step-600`]);
    const executor = its.executor(steps);
    // The runner dies after metadata.json of the first checkpoint is deleted and before the rest is.
    let hasDied = false;
    for (let at = 1; !hasDied; at += 1) {
      left = at;
      await actOn(executor, steps).catch(() => undefined);
      left = Number.POSITIVE_INFINITY;
      hasDied = its.removed.length > 0;
      if (at > 100) throw new Error('it never deletes');
    }
    expect(its.removed).toEqual(['lab/run/checkpoints/step-100/metadata.json']);
    expect(await executor.verify(NOW, true)).toMatchObject({ outcome: 'failed', code: 'deletion-interrupted' });
    its.begin(steps.flatMap(({ command }) => command[1] ?? []));
    const again = await its.listed();
    expect(again.map(({ command }) => command.slice(1))).toContainEqual([`${ROOTS[0]}/step-100`, 'remains']);
    expect(await actOn(its.executor(again), again)).toMatchObject({ outcome: 'done', code: 'deleted' });
    expect([...its.objects.keys()].filter((key) => key.includes('step-100/') || key.includes('step-600/'))).toEqual([]);
    expect(its.objects.has('lab/run/checkpoints/step-150/w')).toBe(true);
  });

  it.each([
    ['a hold', (its: ReturnType<typeof scene>) => its.hold('hold: wait'), 'held'],
    ['a rejection that makes it one of the newest', (its: ReturnType<typeof scene>) => its.reject(700), 'list-changed'],
  ])('stops before the next checkpoint at %s', async (_, happens, code) => {
    const its = scene(() => undefined);
    for (const of of [100, 600, 700, 800]) its.save(`${ROOTS[0]}/step-${of}`);
    const steps = await its.listed();
    expect(steps).toHaveLength(2);
    happens(its);
    expect(await actOn(its.executor(steps), steps)).toMatchObject({ outcome: 'refused', code });
    expect(its.removed).toEqual([]);
  });
});
