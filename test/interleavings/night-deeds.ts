// The events of a night, in random order: process turns, job ends, and people's commands.

import fc from 'fast-check';
import { FAILURE_CLASSES, FAILURES } from '../../src/domain/failure-class.ts';
import { citationKey } from '../../src/domain/launch/order.ts';
import { assertNever } from '../../src/domain/values.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';
import {
  aProposal,
  consentDraft,
  approvalLineFor as consentLine,
  digestOf,
  proposedDraft,
} from '../care/consent-parts.ts';
import { approveLineFor } from '../run/parts.ts';
import { approvalDrafts, bob, commandDrafts, toSha } from '../support/run-drafts.ts';
import { aManifest } from '../support/run-parts.ts';
import { change, type Death, decide, launch, observeNight, stop } from './night-processes.ts';
import {
  type Fate,
  type Night,
  type NightJob,
  passMinutes,
  push,
  recordGates,
  type Terms,
  write,
} from './night-world.ts';

const DEATHS: readonly Death[] = ['never', 'after-claim', 'before-call', 'after-call'];
const who = fc.constantFrom(0 as const, 1 as const);
const dies = fc.oneof(
  { weight: 6, arbitrary: fc.constant('never' as const) },
  { weight: 1, arbitrary: fc.constantFrom(...DEATHS) },
);
const mostly = fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });

const fate: fc.Arbitrary<Fate> = fc.record({
  status: fc.oneof(
    { weight: 12, arbitrary: fc.constant('FAILED' as const) },
    { weight: 1, arbitrary: fc.constantFrom('STOPPED' as const, 'SUCCEEDED' as const) },
  ),
  class: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('preempted' as const, 'network' as const, 'stalled' as const) },
    { weight: 2, arbitrary: fc.constantFrom('oom-hbm' as const, 'nan' as const, 'bad-node' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...FAILURE_CLASSES) },
  ),
  where: fc.constantFrom('alpha', 'beta', 'gamma'),
  confidence: fc.oneof(
    { weight: 9, arbitrary: fc.constant('high' as const) },
    { weight: 1, arbitrary: fc.constant('low' as const) },
  ),
});

const of = <Act extends string>(act: Act) => ({ act: fc.constant(act) });

const single = fc.oneof(
  { weight: 24, arbitrary: fc.record({ ...of('look'), who, isFresh: mostly }) },
  { weight: 1, arbitrary: fc.record({ ...of('restart'), who }) },
  { weight: 24, arbitrary: fc.record({ ...of('decide'), isFresh: mostly }) },
  { weight: 24, arbitrary: fc.record({ ...of('launch'), dies, isAnswered: mostly }) },
  { weight: 18, arbitrary: fc.record({ ...of('end'), fate, step: fc.nat(1_000) }) },
  { weight: 6, arbitrary: fc.record({ act: fc.constantFrom('lose' as const, 'differ' as const, 'differ' as const) }) },
  { weight: 1, arbitrary: fc.record({ ...of('wait'), minutes: fc.constantFrom(1, 8, 13, 70, 130) }) },
  { weight: 6, arbitrary: fc.record({ ...of('relaunch') }) },
  { weight: 6, arbitrary: fc.record({ ...of('approve') }) },
  { weight: 1, arbitrary: fc.record({ ...of('fix'), batch: fc.constantFrom('24', '12') }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('ask-stop' as const, 'reject' as const) }) },
  { weight: 6, arbitrary: fc.record({ ...of('stop'), who, isAnswered: mostly }) },
  { weight: 6, arbitrary: fc.record({ ...of('propose-delete') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...of('consent'),
      how: fc.constantFrom('written' as const, 'written' as const, 'never-written' as const, 'config' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constantFrom('edit' as const, 'demote' as const, 'promote' as const, 'pre-approve' as const),
    }),
  },
  { weight: 12, arbitrary: fc.record({ ...of('change'), dies }) },
);
export type Deed = typeof single extends fc.Arbitrary<infer Value> ? Value : never;

/** An undisturbed sequence from the end of an attempt to the next attempt. */
const round = fc.tuple(fate, fc.nat(1_000), who).map(([how, step, by]): readonly Deed[] => [
  { act: 'end', fate: how, step },
  { act: 'look', who: by, isFresh: true },
  { act: 'decide', isFresh: true },
  { act: 'launch', dies: 'never', isAnswered: true },
  { act: 'look', who: by, isFresh: true },
]);

/** A bad machine from the proposal to its deletion. */
const healing = fc
  .constantFrom('written' as const, 'config' as const)
  .map((how): readonly Deed[] => [
    ...(how === 'config' ? [{ act: 'pre-approve' } as const] : []),
    { act: 'propose-delete' },
    { act: 'consent', how },
    { act: 'change', dies: 'never' },
  ]);

/** A requested and executed stop. */
const halt = who.map((by): readonly Deed[] => [
  { act: 'ask-stop' },
  { act: 'look', who: by, isFresh: true },
  { act: 'stop', who: by, isAnswered: true },
]);

/** A command between the order of the next attempt and its launch. */
const crossed = fc
  .tuple(fate, who, fc.constantFrom('reject' as const, 'ask-stop' as const))
  .map(([how, by, act]): readonly Deed[] => [
    { act: 'end', fate: how, step: 7 },
    { act: 'look', who: by, isFresh: true },
    { act: 'decide', isFresh: true },
    { act },
    { act: 'launch', dies: 'never', isAnswered: true },
  ]);

/** Single events, sometimes with a related sequence in one piece. */
export const deeds: fc.Arbitrary<readonly Deed[]> = fc
  .array(
    fc.oneof(
      { weight: 48, arbitrary: single.map((one): readonly Deed[] => [one]) },
      { weight: 16, arbitrary: round },
      { weight: 3, arbitrary: healing },
      { weight: 1, arbitrary: fc.oneof(halt, crossed) },
    ),
    { minLength: 8, maxLength: 40 },
  )
  .map((parts) => parts.flat());

/** The limits of the manifest. */
export const terms: fc.Arbitrary<Terms> = fc.record({
  restarts: fc.nat(4),
  restartAfter: fc.oneof(
    { weight: 3, arbitrary: fc.constant([...FAILURES]) },
    { weight: 1, arbitrary: fc.subarray([...FAILURES]) },
  ),
  reductions: fc.constantFrom([], ['--batch-size 16'], ['--batch-size 16', '--batch-size 8']),
  earlier: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fate }),
});

/** Plays one event; a minute passes after each. */
export async function play(night: Night, one: Deed): Promise<void> {
  passMinutes(night, 1);
  switch (one.act) {
    case 'look':
      observeNight(night, night.watchers[one.who], one.isFresh);
      return;
    case 'restart':
      night.watchers[one.who].holder += '+';
      return;
    case 'decide':
      decide(night, one.isFresh);
      return;
    case 'launch':
      await launch(night, one.dies, !one.isAnswered);
      return;
    case 'stop':
      await stop(night, night.watchers[one.who].view, !one.isAnswered);
      return;
    case 'change':
      await change(night, one.dies);
      return;
    case 'end':
    case 'lose':
    case 'differ':
      happen(night, one);
      return;
    case 'wait':
      passMinutes(night, one.minutes);
      return;
    case 'relaunch':
    case 'approve':
    case 'fix':
    case 'ask-stop':
    case 'reject':
      say(night, one);
      return;
    case 'propose-delete':
    case 'consent':
    case 'edit':
    case 'demote':
    case 'promote':
    case 'pre-approve':
      care(night, one);
      return;
    default:
      assertNever(one);
  }
}

type Of<Act extends Deed['act']> = Extract<Deed, { readonly act: Act }>;

/** Changes or ends the running job. */
function happen(night: Night, one: Of<'end'> | Of<'lose' | 'differ'>): void {
  const job = [...night.jobs.values()].findLast(({ fate: ended }) => ended === null);
  if (job === undefined) return;
  if (one.act === 'end') end(job, one);
  else if (one.act === 'lose') job.isLost = true;
  else job.isOther = job.attempt > 1;
}

function end(job: NightJob, one: Of<'end'>): void {
  job.step = job.attempt * 500 + one.step;
  job.fate = one.fate;
}

/** Records a person's command immediately; commands that the record does not accept have no effect. */
function say(night: Night, one: Of<'relaunch'> | Of<'approve'> | Of<'fix'> | Of<'ask-stop' | 'reject'>): void {
  const { state } = night.record;
  switch (one.act) {
    case 'relaunch': {
      const comment = 500 + state.commands.size;
      const detail = { attempt: 2, left: 0 };
      write(night, comment, '/relaunch', { bodyDigest: digestOf('a comment') });
      const asked = { by: bob, name: 'relaunch', comment, code: 'relaunch-asked', detail };
      push(night, night.record, commandDrafts(state, asked));
      return;
    }
    case 'approve': {
      if (state.gate?.digest == null) return;
      const words = approveLineFor(state.gate.digest);
      write(night, 600 + state.commands.size, words, { bodyDigest: digestOf('a comment') });
      push(night, night.record, approvalDrafts(state, bob));
      return;
    }
    case 'fix': {
      const { envelope } = state.order?.manifest ?? aManifest();
      const command = ['python3', 'experiments/ferries/daily.py', '--batch-size', one.batch];
      recordGates(night, envelope, { command });
      return;
    }
    case 'ask-stop': {
      const data = { comment: 700, surface: 'comment' } as const;
      push(night, night.record, [{ type: 'stop-requested', role: 'control', actor: bob, data }]);
      return;
    }
    case 'reject': {
      const data = { step: 400, reason: 'it spikes', comment: 701, surface: 'comment' } as const;
      push(night, night.record, [{ type: 'checkpoint-rejected', role: 'control', actor: bob, data }]);
      return;
    }
    default:
      assertNever(one);
  }
}

/** Events about the job's machine. */
function care(
  night: Night,
  one: Of<'propose-delete'> | Of<'consent'> | Of<'edit' | 'demote' | 'promote' | 'pre-approve'>,
): void {
  const { state } = night.record;
  const last = state.actions.at(-1);
  switch (one.act) {
    case 'propose-delete': {
      const evidence = { facts: { attempt: state.submission?.attempt ?? 0 }, lines: [] };
      const what = aProposal({ round: state.actions.length + 1, evidence: canonicalDigest(evidence, digestOf) });
      const { data } = proposedDraft(what);
      push(night, night.record, [{ type: 'action-proposed', role: 'watch', data: { ...data, evidence } }]);
      return;
    }
    case 'consent': {
      if (last === undefined) return;
      if (one.how === 'config') {
        const data = { proposal: last.digest, source: { kind: 'config', commit: toSha('base') } } as const;
        push(night, night.record, [{ type: 'action-approved', role: 'control', data }]);
        return;
      }
      const id = 900 + night.said.size;
      const body = consentLine(last.proposal);
      const author = { id: 7, login: 'mira' };
      write(night, id, body, { author, thread: 12 });
      const said = night.said.get(citationKey({ surface: 'comment', comment: id }));
      if (said === undefined) throw new Error('it was written just now');
      if (one.how === 'never-written') night.said.delete(citationKey({ surface: 'comment', comment: id }));
      push(night, night.record, [consentDraft(said, last.proposal)]);
      return;
    }
    case 'edit': {
      for (const [key, said] of night.said)
        if (said.thread === 12) night.said.set(key, { ...said, editedAt: night.now });
      return;
    }
    case 'demote':
    case 'promote':
      night.isMaintainer = one.act === 'promote';
      return;
    case 'pre-approve':
      night.isPreApproved = !night.isPreApproved;
      return;
    default:
      assertNever(one);
  }
}
