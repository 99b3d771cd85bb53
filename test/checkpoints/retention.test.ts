/**
 * What may be deleted from a run: nothing protected is listed, or deleted while others write, prune and
 * reject.
 */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CheckpointNeeds,
  checkpointIdentity,
  decideRetention,
  findCheckpointNeeds,
  type Retention,
  recheckCandidate,
  stepsToKeep,
} from '../../src/checkpoints/cleanup.ts';
import { namedStep, type SearchedRoot, type StoredCheckpoint } from '../../src/domain/checkpoint/stored.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { brandAs, isInstant, known, unknown } from '../../src/domain/values.ts';
import { aRun } from '../support/run-builder.ts';
import { alice } from '../support/run-drafts.ts';
import { PERMANENT, searches, TEMPORARY } from './layouts.ts';

const NOW = brandAs(1_000_000, isInstant);
const NOTHING_KEPT: number = 1;

function saved(step: number, root = PERMANENT, version = 0): StoredCheckpoint {
  const text = JSON.stringify({ step, timestamp: `2026-11-20T10:00:0${version}`, is_temporary: root !== PERMANENT });
  return {
    path: `${root}/step-${step}`,
    root,
    metadata: known({ text, writtenAt: NOW, identity: `${step}-${version}` }),
  };
}

/** One attempt that wrote all these checkpoints and has ended. */
function needs(change: Partial<CheckpointNeeds> = {}): CheckpointNeeds {
  const from = brandAs(900_000, isInstant);
  const attempts = [{ attempt: 1, from, until: brandAs(1_100_000, isInstant), startStep: 0 }];
  return {
    lineage: { attempts, rejections: [] },
    sources: [],
    otherRuns: [],
    otherRunsSources: [],
    startedDeletions: [],
    finalSteps: [],
    milestones: [],
    writtenUpTo: Number.MAX_SAFE_INTEGER,
    ...change,
  };
}

function rootsOf(found: readonly StoredCheckpoint[]): readonly SearchedRoot[] {
  return [PERMANENT, TEMPORARY].map((root) => ({ root, found: known(found.filter((one) => one.root === root)) }));
}

function plan(found: readonly StoredCheckpoint[], its: CheckpointNeeds = needs(), keep = NOTHING_KEPT): Retention {
  const retention = decideRetention(rootsOf(found), its, keep);
  if (retention.kind === 'unknown') throw new Error(retention.why);
  return retention.value;
}

function steps({ candidates }: Retention): readonly (number | null)[] {
  return candidates.map(({ metadata }) => metadata?.step ?? null);
}

describe('a list of deletable checkpoints', () => {
  const found = [100, 200, 300, 400, 1_000].map((step) => saved(step));

  it('contains the oldest, and keeps the requested number of the newest', () => {
    expect(steps(plan(found, needs(), 2))).toEqual([100, 200, 300]);
    expect(steps(plan(found, needs(), 0))).toEqual([100, 200, 300, 400]);
  });

  // rule HR-62
  it('never contains what an attempt started from or the run was launched from, of any age', () => {
    const its = needs({ sources: [`${PERMANENT}/step-200`, 'checkpoints/step-300'] });
    expect(steps(plan(found, its))).toEqual([100, 400]);
  });

  it('never contains the final checkpoint or a milestone', () => {
    const its = needs({ finalSteps: [400], milestones: [100] });
    expect(steps(plan(found, its))).toEqual([200, 300]);
  });

  it('never contains what a running job may still write', () => {
    expect(steps(plan(found, needs({ writtenUpTo: 250 })))).toEqual([100, 200]);
    expect(steps(plan(found, needs({ writtenUpTo: null })))).toEqual([]);
  });

  it('never contains an incomplete, unreadable or foreign checkpoint or the root, and gives the reason', () => {
    const half = { ...saved(10), metadata: known(null) };
    const shut = { ...saved(20), metadata: unknown('status 403') };
    const late = { ...saved(30), metadata: known({ text: '{}', writtenAt: NOW, identity: 'x' }) };
    const foreign = saved(40);
    const written = foreign.metadata.kind === 'known' ? foreign.metadata.value : null;
    const strange = {
      ...foreign,
      metadata: known(written === null ? null : { ...written, writtenAt: brandAs(5, isInstant) }),
    };
    const root = { ...saved(50), path: PERMANENT };
    const { candidates, kept } = plan([half, shut, late, strange, root, ...found]);
    expect(candidates.map(({ metadata }) => metadata?.step)).toEqual([100, 200, 300, 400]);
    expect(
      Object.fromEntries(kept.map(({ checkpoint, protections }) => [checkpoint.stored.path, protections])),
    ).toEqual({
      [`${PERMANENT}/step-10`]: ['incomplete'],
      [`${PERMANENT}/step-20`]: ['unreadable'],
      [`${PERMANENT}/step-30`]: ['incomplete'],
      [`${PERMANENT}/step-40`]: ['foreign'],
      [PERMANENT]: ['root'],
      [`${PERMANENT}/step-1000`]: ['newest'],
    });
  });

  // rule HR-61
  it('keeps only the last checkpoint of an ordinary run without a setting; a contract must choose', () => {
    const { state } = aRun().gated().shown().approved(alice).ordered().submitted();
    const chosen = state.order?.manifest?.retention.keepTemporary ?? 1;
    expect(stepsToKeep(state, null)).toBe(chosen);
    const unchosen: RunState = { ...state, gate: null, order: null };
    expect(stepsToKeep(unchosen, null)).toBe(1);
    expect(stepsToKeep(unchosen, 3)).toBe(3);
    expect(stepsToKeep({ ...unchosen, contract: {} }, null)).toBeNull();
    expect(steps(plan(found, needs({ finalSteps: [1_000] }), stepsToKeep(unchosen, null) ?? 0))).toEqual([
      100, 200, 300, 400,
    ]);
  });

  // threat T118
  it('never contains a checkpoint that another run may have written at that time', () => {
    const claimed = (at: string): RunState => {
      const other = aRun().gated().shown().approved(alice).ordered().claimed().submitted().state;
      const { order } = other;
      if (order?.claim == null || order.manifest === null) throw new Error('no claim');
      const resume = { ...order.manifest.resume, roots: [PERMANENT] };
      const manifest = { ...order.manifest, resume };
      return { ...other, order: { ...order, manifest, claim: { ...order.claim, at } } };
    };
    const going = (others: readonly RunState[]) => steps(plan(found, needs({ otherRuns: others })));
    expect(going([claimed('1970-01-01T00:16:30.000Z')])).toEqual([]);
    expect(going([claimed('1970-01-01T00:30:00.000Z')])).toEqual([100, 200, 300, 400]);
    expect(plan(found, needs({ otherRuns: [claimed('1970-01-01T00:16:30.000Z')] })).kept[0]?.protections).toEqual([
      'shared',
    ]);
  });

  it('is unknown if a root could not be listed', () => {
    const roots = [
      { root: PERMANENT, found: known(found) },
      { root: TEMPORARY, found: unknown('status 403') },
    ];
    expect(decideRetention(roots, needs(), NOTHING_KEPT)).toMatchObject({ kind: 'unknown' });
  });

  it('uses the record: what its job loaded, and what it may still write', () => {
    const submitted = aRun().gated().shown().approved(alice).ordered().submitted();
    expect(findCheckpointNeeds(submitted.state)).toMatchObject({ writtenUpTo: 0 });
    const seen = submitted.observed({ checkpointStep: 300, resumedFrom: `${PERMANENT}/step-200` });
    expect(findCheckpointNeeds(seen.state)).toMatchObject({ writtenUpTo: 300, sources: [`${PERMANENT}/step-200`] });
    const ended = seen.ended({ checkpointStep: 1_000 });
    expect(findCheckpointNeeds(ended.state)).toMatchObject({
      writtenUpTo: Number.MAX_SAFE_INTEGER,
      finalSteps: [1_000],
    });
  });

  it('never contains a protected checkpoint, for any stored layout', () => {
    fc.assert(
      fc.property(searches, fc.nat(4), fc.array(fc.constantFrom(9, 100, 200)), (search, keep, milestones) => {
        const lineage = search.lineage ?? { attempts: [], rejections: [] };
        const its = needs({
          lineage,
          sources: [`${PERMANENT}/step-99`],
          finalSteps: [101],
          milestones,
          writtenUpTo: 999,
        });
        const retention = decideRetention(search.roots, its, keep);
        if (retention.kind === 'unknown') return;
        const { candidates, kept } = retention.value;
        const eligible = [...candidates, ...kept.map(({ checkpoint }) => checkpoint)]
          .filter(({ status }) => status === 'eligible')
          .map(({ metadata }) => metadata?.step ?? -1);
        const newer = (than: number): number => new Set(eligible.filter((step) => step > than)).size;
        for (const { stored, metadata, status } of candidates) {
          const step = metadata?.step ?? -1;
          expect(['eligible', 'rejected']).toContain(status);
          expect([99, 101, ...milestones]).not.toContain(step);
          expect(step).toBeLessThanOrEqual(999);
          expect(namedStep(stored.path) ?? step).toBe(step);
          if (status === 'eligible') expect(newer(step)).toBeGreaterThanOrEqual(Math.max(1, keep));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

type Act =
  | { readonly does: 'save'; readonly root: string }
  | { readonly does: 'prune' | 'rewrite' | 'reject' | 'delete' };

const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('save' as const), root: fc.constantFrom(PERMANENT, TEMPORARY) }),
  },
  { weight: 5, arbitrary: fc.constant({ does: 'delete' as const }) },
  fc.record({ does: fc.constantFrom('prune' as const, 'rewrite' as const, 'reject' as const) }),
);

describe('the deletion of a listed checkpoint', () => {
  it('happens only if it is unchanged and unprotected, while others write, prune and reject', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(acts, { maxLength: 30 }),
        (count, keep, script) => {
          let store = Array.from({ length: count }, (_, index) =>
            saved((index + 1) * 100, index % 3 === 0 ? PERMANENT : TEMPORARY),
          );
          let its = needs({ sources: [`${PERMANENT}/step-200`], writtenUpTo: count * 100 });
          let newest = count * 100;
          // The list that people approved, from the start.
          const listed = plan(store, its, keep).candidates.map(({ stored }) => stored);
          let next = 0;
          for (const act of script) {
            if (act.does === 'save') {
              newest += 100;
              store = [...store, saved(newest, act.root)];
              // Saving a permanent checkpoint prunes all rolling ones (levanter, checkpoint.py).
              if (act.root === PERMANENT) store = store.filter(({ root }) => root === PERMANENT);
              its = { ...its, writtenUpTo: newest };
            } else if (act.does === 'prune') store = store.filter(({ root }) => root === PERMANENT);
            else if (act.does === 'rewrite') store = store.map((one) => saved(namedStep(one.path) ?? 0, one.root, 1));
            else if (act.does === 'reject')
              its = { ...its, lineage: { ...its.lineage, rejections: [{ step: newest, at: NOW }] } };
            else {
              const target = listed[next];
              if (target === undefined) return;
              const look = recheckCandidate(plan(store, its, keep), target.path, checkpointIdentity(target) ?? '');
              // The first changed checkpoint ends the clean-up.
              if (look !== 'same') return;
              const left = store.filter(({ path }) => path !== target.path);
              const usable = new Set(
                left.flatMap(({ path }) => {
                  const step = namedStep(path) ?? 0;
                  return its.lineage.rejections.some((one) => step >= one.step) ? [] : [step];
                }),
              );
              const step = namedStep(target.path) ?? 0;
              const isUsable = !its.lineage.rejections.some((one) => step >= one.step);
              if (isUsable) expect([...usable].filter((one) => one > step).length).toBeGreaterThanOrEqual(keep);
              expect(step).not.toBe(200);
              expect(store).toContainEqual(target);
              store = left;
              next += 1;
            }
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('is skipped if it was rewritten, is now protected, or is gone', () => {
    const found = [saved(100), saved(200), saved(300)];
    const seen = '100-0';
    const path = `${PERMANENT}/step-100`;
    expect(recheckCandidate(plan(found), path, seen)).toBe('same');
    expect(recheckCandidate(plan([saved(100, PERMANENT, 1), saved(200)]), path, seen)).toBe('changed');
    expect(recheckCandidate(plan([saved(100)]), path, seen)).toBe('protected');
    expect(recheckCandidate(plan([saved(200), saved(300)]), path, seen)).toBe('gone');
  });
});
