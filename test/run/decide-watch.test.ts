/** When a watch counts as silent. A silent watch does not mean that the run has a fault. */

import { describe, expect, it } from 'vitest';
import type { RentalTerms } from '../../src/domain/launch/manifest.ts';
import type { Machine } from '../../src/domain/logbook/events/rental-events.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import type { Instant } from '../../src/domain/values.ts';
import { isWatchSilent } from '../../src/run/decide-dispatches.ts';
import { USUAL_CADENCE } from '../../src/watch/cadence.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { instant } from '../support/run-facts.ts';
import { runWithGates } from './parts.ts';

const MINUTE = 60_000;
const submitted = runWithGates().approved(bob).ordered().submitted();
const watched = submitted.observed();

const later = (at: string, ms: number): Instant => instant(new Date(Date.parse(at) + ms).toISOString());
const silentFor = ({ state }: RunBuilder, ms: number, cadence = USUAL_CADENCE): boolean =>
  isWatchSilent(state, cadence, later((state.observation ?? state.submission ?? state.head).at, ms));

describe('a watch', () => {
  it('is silent after twice the pause that its newest observation named', () => {
    expect(silentFor(watched, 19 * MINUTE)).toBe(false);
    expect(silentFor(watched, 19 * MINUTE + 1)).toBe(true);
    expect(silentFor(submitted.observed({ cadenceMs: 120_000 }), 5 * MINUTE)).toBe(true);
    expect(silentFor(submitted.observed({ cadenceMs: 45 * MINUTE }), 90 * MINUTE)).toBe(false);
  });

  it('gets the time of its lease when the pause is short', () => {
    const quick = submitted.observed({ cadenceMs: 3_000 });
    expect(silentFor(quick, 60_000)).toBe(false);
    expect(silentFor(quick, 93_001)).toBe(true);
  });

  it("that never observed is judged by the lane's first polling interval", () => {
    const rental = { ...USUAL_CADENCE, startupMs: [MINUTE], settleMs: 10 * MINUTE, pollMs: 60 * MINUTE };
    expect(silentFor(submitted, 20 * MINUTE)).toBe(true);
    expect(silentFor(submitted, 20 * MINUTE, rental)).toBe(false);
    expect(silentFor(submitted, 21 * MINUTE, rental)).toBe(true);
  });

  it('is judged by the newest check of the account once a rented job has ended', () => {
    const { state } = watched.ended();
    if (state.order?.manifest == null || state.end === null) throw new Error('there was no job');
    const terms = { hoursMax: 24 } as unknown as RentalTerms;
    const manifest = { ...state.order.manifest, envelope: { ...state.order.manifest.envelope, rental: terms } };
    const machine = { instance: 1, jobId: state.end.message, status: 'running' } as unknown as Machine;
    const look = { at: state.end.at, seq: state.end.seq + 1, cadenceMs: 5 * MINUTE };
    const renting: RunState = {
      ...state,
      order: { ...state.order, manifest },
      rental: { ...state.rental, machines: [machine], lastListing: look },
    };
    expect(isWatchSilent(renting, USUAL_CADENCE, later(look.at, 10 * MINUTE))).toBe(false);
    expect(isWatchSilent(renting, USUAL_CADENCE, later(look.at, 11 * MINUTE))).toBe(true);
    expect(isWatchSilent(state, USUAL_CADENCE, later(look.at, 11 * MINUTE))).toBe(false);
  });

  it('is not missed before there is a job or after its end', () => {
    expect(silentFor(runWithGates().approved(bob).ordered(), 99 * MINUTE)).toBe(false);
    expect(silentFor(watched.ended(), 99 * MINUTE)).toBe(false);
  });
});
