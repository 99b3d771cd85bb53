/**
 * Rules of the hero policy that no single test of a room states: who is notified of decisions, and by which
 * channel.
 */

import { describe, expect, it } from 'vitest';
import { onCallSchema } from '../../src/config/approvals-schema.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { buildPages } from '../../src/run/decide-notices.ts';
import { aRun } from '../support/run-builder.ts';
import { alice, bob, incidentDraft } from '../support/run-drafts.ts';
import { aConfig } from '../support/run-parts.ts';

const CHANNELS = {
  ops: { kind: 'discord', address: 'OPS_WEBHOOK' },
  lab: { kind: 'slack', address: 'LAB_WEBHOOK' },
  post: { kind: 'mail', address: 'LAB_MAIL' },
};
const base = aConfig();
/** The on-call table is empty, and no person is in charge of the lane. */
const config = { ...base, onCall: onCallSchema.parse({ channels: CHANNELS }), lane: { ...base.lane, inCharge: [] } };
const ANSWERED = { value: 'alice', source: 'given', from: 'DRI' } as const;

/** A run of a contract that Alice wrote with herself as DRI; its job is running. */
function heroRun(): RunState {
  const { state } = aRun().gated().approved(bob).ordered().submitted();
  return { ...state, contract: { dri: ANSWERED }, proposal: { ...state.proposal, author: alice } };
}

const DETAIL = {
  reason: 'same-failure',
  attempt: 1,
  message: 'm',
  why: 'no-metadata',
  path: 'gs://lab/step-9',
  dri: 'alice',
  cluster: 'local',
  dollars: '9',
  most: '10',
};
const LATER = brandAs(Date.parse('2026-11-21T12:30:00Z'), isInstant);

describe('an incident that needs judgement in a hero run', () => {
  // rule HR-05
  it('reaches the person in charge in the thread and through every channel of the lab', () => {
    const drafts = [incidentDraft('relaunch-refused', DETAIL)];
    const [page, ...more] = buildPages(heroRun(), drafts, config, LATER);
    expect(more).toEqual([]);
    expect(page?.data).toMatchObject({ people: [alice.id], channels: ['ops', 'lab', 'post'] });
  });

  // rule HR-30
  it.each([
    ['a refused relaunch', 'relaunch-refused'],
    ['money', 'budget-nearly-used'],
    ['the lineage of a checkpoint', 'start-refused'],
    ['a missing cluster', 'cluster-missing'],
    ['code that could not be verified', 'launch-unreadable'],
    ['a success without artefacts', 'artefacts-missing'],
  ])('is sent to the person in charge: %s', (_what, code) => {
    const pages = buildPages(heroRun(), [incidentDraft(code, DETAIL)], config, LATER);
    expect(pages.map(({ data }) => data)).toEqual([expect.objectContaining({ people: [alice.id] })]);
  });

  it('reaches the person in charge also after another person took the watch', () => {
    const state = heroRun();
    const taken = { ...state, watch: { ...state.watch, owner: bob } };
    const [page] = buildPages(taken, [incidentDraft('relaunch-refused', DETAIL)], config, LATER);
    expect(page?.data).toMatchObject({ people: [bob.id, alice.id] });
  });
});
