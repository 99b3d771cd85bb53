/** From a log line to the machine that it came from, or to a question for a person. */

import { describe, expect, it } from 'vitest';
import {
  answerBadNodeMatch,
  BAD_NODE_PATIENCE_MS,
  findOpenBadNodeMatch,
  judgeBadNode,
} from '../../src/care/bad-node.ts';
import { isSameVm, type TpuVm, type VmListing } from '../../src/domain/care/machines.ts';
import { addMs } from '../../src/domain/values.ts';
import { FAILURE_WORKERS_MAX, NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import { buildEvents } from '../../src/watch/observation.ts';
import { readLogText } from '../support/log-text.ts';
import { buildPoll, foundJob } from '../support/look.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { NOON } from '../support/run-facts.ts';
import { at, digestOf } from './consent-parts.ts';

const submitted = aRun().gated().approved(bob).ordered().submitted();

const vm = (name: string, addresses: readonly string[]): TpuVm => ({
  name,
  zone: 'us-central1-a',
  state: 'READY',
  createdAt: '2026-11-20T01:02:03Z',
  acceleratorType: 'v5litepod-4',
  rayCluster: 'us-central1',
  rayNodeType: '',
  workers: addresses.map((address) => [address]),
});
const listed = (...vms: readonly TpuVm[]): VmListing => ({ kind: 'listed', vms });

/** The run after an observation of a log that ends in a failure. */
function failedWith(...lines: readonly string[]): RunBuilder {
  return failedIn(submitted, lines);
}

function failedIn(run: RunBuilder, lines: readonly string[]): RunBuilder {
  const look = buildPoll({
    job: foundJob('FAILED', { exitCode: 1, endedAtMs: NOON }),
    log: readLogText(NO_LOG_FACTS, lines.map((line) => `${line}\n`).join('')),
    redact: (text) => text.replaceAll('hunter2', '***'),
  });
  return run.add(...buildEvents(run.state, look));
}

function matchOf(...lines: readonly string[]): NonNullable<ReturnType<typeof findOpenBadNodeMatch>> {
  const match = findOpenBadNodeMatch(failedWith(...lines).state);
  if (match === null) throw new Error('no signature match');
  return match;
}

const WORKER = '(Train pid=42, ip=10.130.2.2)';

describe('a bad node', () => {
  // rule ML-29
  it.each([
    'RuntimeError: No accelerator found. Please run on a TPU or GPU.',
    'Failed to cleanup driver after error: INTERNAL: FAILED_PRECONDITION: x',
    'open(/dev/accel0): Device or resource busy',
  ])('is concluded from "%s", with its worker and machine', (line) => {
    const match = matchOf(`${WORKER} ${line}`);
    const slice = vm('ray-slice', ['10.130.2.1', '10.130.2.2']);
    expect(judgeBadNode(match, listed(vm('ray-other', ['10.130.1.1']), slice), NOON)).toMatchObject({
      kind: 'found',
      workers: [1],
      identity: { name: 'ray-slice', zone: 'us-central1-a', address: '10.130.2.2' },
    });
  });

  it('is not concluded from another failure, nor without a failure', () => {
    expect(findOpenBadNodeMatch(failedWith(`${WORKER} OwnerDiedError`).state)).toBeNull();
    expect(findOpenBadNodeMatch(submitted.state)).toBeNull();
  });

  it('is not judged after a person requested a stop', () => {
    const lines = [`${WORKER} Device or resource busy`];
    expect(findOpenBadNodeMatch(failedIn(submitted, lines).state)).not.toBeNull();
    expect(findOpenBadNodeMatch(failedIn(submitted.stopRequested(bob), lines).state)).toBeNull();
  });

  it.each([
    ['one of two workers is on no machine', ['10.130.2.2', '10.130.2.3'], 'no-machine'],
    ['workers of two machines report it', ['10.130.2.2', '10.130.3.1'], 'several-workers'],
    ['no machine has the address', ['10.9.9.9'], 'no-machine'],
    ['no line names a worker', [], 'no-address'],
  ])('leads to a question if %s', (_, workers, code) => {
    const match = { ...matchOf(`${WORKER} Device or resource busy`), workers };
    const listing = listed(vm('a', ['10.130.2.2']), vm('b', ['10.130.3.1']));
    expect(judgeBadNode(match, listing, NOON)).toMatchObject({ kind: 'unclear', code });
  });

  it('leads to a question if two machines have the address, or no machine list is configured', () => {
    const match = matchOf(`${WORKER} Device or resource busy`);
    const twice = listed(vm('a', ['10.130.2.2']), vm('b', ['10.130.2.2']));
    expect(judgeBadNode(match, twice, NOON)).toMatchObject({ code: 'several-machines' });
    expect(judgeBadNode(match, null, NOON)).toMatchObject({ code: 'not-configured' });
  });

  it('is found by an IPv6 address in any notation', () => {
    const match = matchOf('(Train pid=42, ip=2600:1900:4000:0:0:0:0:1f) Device or resource busy');
    const six = vm('ray-six', ['2600:1900:4000::1F']);
    const judged = judgeBadNode(match, listed(vm('ray-other', ['2600:1900:4000::1']), six), NOON);
    expect(judged).toMatchObject({ kind: 'found', identity: { name: 'ray-six' } });
    if (judged.kind === 'found') expect(isSameVm(six, judged.identity)).toBe(true);
  });

  it('is never the head of the cluster', () => {
    const match = matchOf(`${WORKER} Device or resource busy`);
    const head = { ...vm('ray-head', ['10.130.2.2']), rayNodeType: 'head' };
    expect(judgeBadNode(match, listed(head), NOON)).toMatchObject({ kind: 'unclear', code: 'head-node' });
  });

  it('is one machine if several hosts of a slice fail, and a question if one line covers several workers', () => {
    const both = matchOf(`${WORKER} Device or resource busy`, '(Train pid=43, ip=10.130.2.3) Device or resource busy');
    const folded = matchOf(`${WORKER} Device or resource busy [repeated 3x across cluster]`);
    const slice = listed(vm('ray-slice', ['10.130.2.1', '10.130.2.2', '10.130.2.3']));
    expect(judgeBadNode(both, slice, NOON)).toMatchObject({
      kind: 'found',
      workers: [1, 2],
      identity: { name: 'ray-slice', address: '10.130.2.2' },
    });
    expect(judgeBadNode(folded, slice, NOON)).toMatchObject({ kind: 'unclear', code: 'several-workers' });
  });

  it('leads to a question if more hosts fail than are recorded', () => {
    const lines = (count: number): readonly string[] =>
      Array.from({ length: count }, (_, host) => `(Train pid=9, ip=10.140.0.${host + 1}) Device or resource busy`);
    const hosts = Array.from({ length: 100 }, (_, host) => `10.140.0.${host + 1}`);
    const slice = listed(vm('ray-slice', hosts));
    const all = FAILURE_WORKERS_MAX;
    expect(judgeBadNode(matchOf(...lines(all)), slice, NOON)).toMatchObject({ kind: 'found' });
    expect(judgeBadNode(matchOf(...lines(all + 1)), slice, NOON)).toMatchObject({ code: 'several-workers' });
  });

  it('is never the replacement that reuses the address, nor a machine that is being deleted', () => {
    const match = matchOf(`${WORKER} Device or resource busy`);
    const later = { ...vm('ray-new', ['10.130.2.2']), createdAt: '2026-11-21T23:59:59.123456789Z' };
    const going = { ...vm('ray-old', ['10.130.2.2']), state: 'DELETING' };
    expect(judgeBadNode(match, listed(later), NOON)).toMatchObject({ code: 'made-since', why: 'ray-new' });
    expect(judgeBadNode(match, listed(going), NOON)).toMatchObject({ code: 'being-deleted' });
    expect(judgeBadNode(match, listed(later, going), NOON)).toMatchObject({ code: 'being-deleted' });
    // The same machine, listed next to its replacement.
    const ready = listed(later, vm('ray-old', ['10.130.2.2']));
    expect(judgeBadNode(match, ready, NOON)).toMatchObject({ kind: 'found', identity: { name: 'ray-old' } });
  });

  it('waits for an unreadable machine list, but not forever', () => {
    const match = matchOf(`${WORKER} Device or resource busy`);
    const away = { kind: 'unknown', message: '503' } as const;
    expect(judgeBadNode(match, away, match.since ?? NOON).kind).toBe('wait');
    const late = addMs(match.since ?? NOON, BAD_NODE_PATIENCE_MS);
    expect(judgeBadNode(match, away, late)).toMatchObject({ kind: 'unclear', code: 'unreadable' });
  });

  it('is proposed once, with redacted log lines and the command that the policy prescribes', () => {
    const failed = failedWith(`${WORKER} token hunter2: Device or resource busy`);
    const match = findOpenBadNodeMatch(failed.state);
    if (match === null) throw new Error('no signature match');
    const draft = answerBadNodeMatch({
      state: failed.state,
      match,
      listing: listed(vm('ray-bad', ['10.130.2.2'])),
      repository: 'lab/models',
      project: 'example-lab',
      now: at(0),
      digestOf,
      redact: (text) => text,
    });
    if (draft?.type !== 'action-proposed') throw new Error('not proposed');
    expect(JSON.stringify(draft)).not.toContain('hunter2');
    expect(draft.data.proposal.steps.map(({ command }) => command.join(' '))).toEqual([
      'gcloud compute tpus tpu-vm delete ray-bad --project example-lab --zone us-central1-a --quiet',
    ]);
    expect(findOpenBadNodeMatch(failed.add(draft).state)).toBeNull();
    const proposal = draft.data.digest;
    const end = { proposal, outcome: 'refused', code: 'approval-edited', detail: {} } as const;
    const refused = failed.add(draft, { type: 'action-ended', role: 'runner', data: end });
    // Nothing was called, so the machine is proposed again.
    expect(findOpenBadNodeMatch(refused.state)).not.toBeNull();
  });
});
