/** When a watch has to search an offer for a run, and what the record takes of it. */

import { describe, expect, it } from 'vitest';
import type { EventDraft, LogbookEvent } from '../../src/domain/logbook/event.ts';
import { foldOne } from '../../src/domain/logbook/fold.ts';
import { watchedClusters } from '../../src/domain/logbook/liveness.ts';
import { offerWanted } from '../../src/domain/logbook/renting.ts';
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
const seenOffer = { digest, offer: null };

/** The record after one more entry, or the rule that it breaks. */
function withOffer(state: RunState, data: typeof seenOffer): RunState | string {
  const draft: EventDraft = { type: 'offer-seen', role: 'watch', data };
  const moment = { v: 1, run: state.run, seq: state.head.seq + 1, at: '2026-11-21T09:00:00.000Z' };
  const chain = { prev: '', keyId: '', hash: '', sig: '' };
  const folded = foldOne(state, { ...moment, ...chain, ...draft } as LogbookEvent);
  return folded.ok ? folded.value : folded.error.rule;
}

describe('the offer before an approval', () => {
  it('is searched for a manifest that rents and waits, by a watch of its cluster', () => {
    expect(offerWanted(shopping)).toEqual({ digest, cluster: manifest.cluster });
    expect(watchedClusters(shopping)).toEqual([manifest.cluster]);
    expect(needsWatch(shopping, 0 as never)).toBe(true);
    expect(offerWanted(plain)).toBeNull();
    expect(watchedClusters(plain)).toEqual([]);
  });

  it('is searched once, and again for another manifest', () => {
    const seen = withOffer(shopping, seenOffer);
    if (typeof seen === 'string') throw new Error(seen);
    expect(offerWanted(seen)).toBeNull();
    expect(needsWatch(seen, 0 as never)).toBe(false);
    expect(withOffer(seen, seenOffer)).toBe('an offer that nobody waits for');
    const other = `sha256:${'e'.repeat(64)}` as typeof digest;
    expect(offerWanted({ ...seen, gate: { ...gate, manifest, digest: other } })?.digest).toBe(other);
  });

  it('is not searched once the launch is ordered, or the run is over', () => {
    const ordered = gated.approved(bob).ordered().state;
    expect(offerWanted({ ...shopping, order: ordered.order })).toBeNull();
    expect(offerWanted({ ...shopping, closed: {} as never })).toBeNull();
    expect(withOffer(plain, seenOffer)).toBe('an offer that nobody waits for');
  });
});
