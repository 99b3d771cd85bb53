/** When a watch has to look at the market for a run, and what the record takes of it. */

import { describe, expect, it } from 'vitest';
import type { EventDraft, LogbookEvent } from '../../src/domain/logbook/event.ts';
import { foldOne } from '../../src/domain/logbook/fold.ts';
import { watchedClusters } from '../../src/domain/logbook/liveness.ts';
import { marketWanted } from '../../src/domain/logbook/renting.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { needsWatch } from '../../src/run/decide-watch.ts';
import { TERMS } from '../rental/simulated-run.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';

const gated = aRun().gated();
const plain = gated.state;
const { gate } = plain;
if (gate?.manifest == null || gate.digest === null) throw new Error('nothing was gated');
const manifest = { ...gate.manifest, envelope: { ...gate.manifest.envelope, rental: TERMS } };
const { digest } = gate;
const shopping: RunState = { ...plain, gate: { ...gate, manifest } };
const market = { digest, fits: 0, unfit: {}, offer: null };

/** The record after one more entry, or the rule that it breaks. */
function withMarket(state: RunState, data: typeof market): RunState | string {
  const draft: EventDraft = { type: 'market-seen', role: 'watch', data };
  const moment = { v: 1, run: state.run, seq: state.head.seq + 1, at: '2026-11-21T09:00:00.000Z' };
  const chain = { prev: '', keyId: '', hash: '', sig: '' };
  const folded = foldOne(state, { ...moment, ...chain, ...draft } as LogbookEvent);
  return folded.ok ? folded.value : folded.error.rule;
}

describe('the market', () => {
  it('is looked at for a manifest that rents and waits, by a watch of its cluster', () => {
    expect(marketWanted(shopping)).toEqual({ digest, cluster: manifest.cluster });
    expect(watchedClusters(shopping)).toEqual([manifest.cluster]);
    expect(needsWatch(shopping, 0 as never)).toBe(true);
    expect(marketWanted(plain)).toBeNull();
    expect(watchedClusters(plain)).toEqual([]);
  });

  it('is looked at once, and anew for another manifest', () => {
    const seen = withMarket(shopping, market);
    if (typeof seen === 'string') throw new Error(seen);
    expect(marketWanted(seen)).toBeNull();
    expect(needsWatch(seen, 0 as never)).toBe(false);
    expect(withMarket(seen, market)).toBe('a market that nobody waits for');
    const other = `sha256:${'e'.repeat(64)}` as typeof digest;
    expect(marketWanted({ ...seen, gate: { ...gate, manifest, digest: other } })?.digest).toBe(other);
  });

  it('is not looked at once the launch is ordered, or the run is over', () => {
    const ordered = gated.approved(bob).ordered().state;
    expect(marketWanted({ ...shopping, order: ordered.order })).toBeNull();
    expect(marketWanted({ ...shopping, closed: {} as never })).toBeNull();
    expect(withMarket(plain, market)).toBe('a market that nobody waits for');
  });
});
