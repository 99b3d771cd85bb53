// Facts that cost something are asked for by whoever decides with them, and by nobody before.

import { describe, expect, it } from 'vitest';
import type { MutationRecord } from '../../src/domain/care/mutation-state.ts';
import type { RunFacts } from '../../src/domain/facts.ts';
import { notAsked } from '../../src/domain/need.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { decideApprovals } from '../../src/run/decide-approvals.ts';
import type { CommandOutcome } from '../../src/run/decide-commands.ts';
import { decideProposalTexts } from '../../src/run/decide-proposal-texts.ts';
import { reconcile } from '../../src/run/reconcile.ts';
import { NO_ATTEMPTS } from '../../src/run/step.ts';
import { record } from '../care/consent-parts.ts';
import { aRun } from '../support/run-builder.ts';
import { bob, shaOf } from '../support/run-drafts.ts';
import { aComment, aPull, NOON, permissions, someFacts } from '../support/run-facts.ts';
import { CONFIG, gatedOn, heardAtNoon, inputOf, lineFor, told, withApprovals } from './parts.ts';

const gated = gatedOn();
const ended = gated.approved(bob).ordered().submitted().observed().ended();
const UNREAD = notAsked();

function saying(
  run: typeof gated,
  text: string,
  change: Partial<RunFacts>,
  more: Parameters<typeof heardAtNoon>[3] = {},
): string {
  const outcome = heardAtNoon(run, [aComment(bob, text)], change, more);
  return outcome.kind === 'step' ? told(outcome.step) : outcome.kind;
}

describe('a command', () => {
  it('asks who works here where its answer names them', () => {
    expect(saying(gated, '/why', { people: UNREAD })).toBe('need people');
    expect(saying(gated, '/status', { people: UNREAD })).toContain('command-answered');
    expect(saying(gated, '/why', { people: unknown('GitHub is away') })).toContain('command-answered');
  });

  it('asks what may do whoever waits for an answer, once, and nobody else', () => {
    const nobody = { permissions: new Map() };
    expect(saying(gated, '/status', nobody)).toBe(`need permissions of ${bob.id}`);
    expect(saying(gated, 'good morning', nobody)).toBe('nothing');
    const away = { permissions: new Map([[bob.id, unknown('GitHub is away')]]) };
    expect(saying(gated, '/hold reason="the disk"', away)).toBe('wait');
  });

  it('of somebody who may not say it asks for nothing', () => {
    const running = gated.approved(bob).ordered().submitted().observed();
    const handoff = (held: 'read' | 'maintain') =>
      saying(running, '/handoff @alice', { people: UNREAD, permissions: permissions([bob, held]) });
    expect(handoff('maintain')).toBe('need people');
    expect(handoff('read')).toContain('command-answered');
  });

  it('that approves asks what became of the card, where it names what is on show and the card was edited since', () => {
    const unread = { isCardUnread: true };
    expect(saying(gated, lineFor(gated.state.gate?.digest ?? ''), {}, unread)).toBe('need cardHistory');
    expect(saying(gated, `/approve-launch ${'ab'.repeat(16)}`, {}, unread)).toContain('command-answered');
  });

  it('that lists checkpoints asks what lies there', () => {
    expect(saying(ended, '/cleanup-checkpoints', {})).toBe('need checkpoints');
    expect(saying(gated, '/cleanup-checkpoints', {})).toContain('command-answered');
  });

  it('that was a seal and is not there any more asks whether its tag stands', () => {
    const outcome = heardAtNoon(ended, [aComment(bob, '/seal accept="as it is"')]);
    if (outcome.kind !== 'step' || outcome.step.kind !== 'append') throw new Error(outcome.kind);
    const seen = ended.add(...outcome.step.drafts);
    const gone = heardAtNoon(seen, [], { sealTag: UNREAD });
    expect(gone.kind === 'step' ? told(gone.step) : gone.kind).toBe('need sealTag');
    expect(heardAtNoon(seen, [], { sealTag: unknown('git is away') }).kind).toBe('wait');
    expect(heardAtNoon(ended, [], { sealTag: UNREAD }).kind).toBe('nothing');
    expect(heardAtNoon(ended, [], { sealTag: known(null) }).kind).toBe('nothing');
  });
});

describe('what stands', () => {
  it('as an approval asks what its people may do now', () => {
    const approved = gated.approved(bob);
    const facts = withApprovals(approved.state, someFacts({ permissions: new Map() }));
    expect(told(decideApprovals(approved.state, facts, CONFIG, NOON))).toBe(`need permissions of ${bob.id}`);
    const ordered = approved.ordered();
    expect(decideApprovals(ordered.state, facts, CONFIG, NOON)).toBeNull();
  });

  it('as a proposal asks which text shows it, until nobody may consent to it any more', () => {
    const one = record({ begun: null });
    const asked = (mutations: readonly MutationRecord[]) =>
      decideProposalTexts({
        state: { ...gated.state, mutations },
        facts: someFacts(),
        now: NOON,
        memory: NO_ATTEMPTS,
      });
    expect(told(asked([one]))).toBe(`need proposalTexts of ${one.digest}`);
    expect(asked([record()])).toBeNull();
  });
});

describe('gates', () => {
  const proposed = aRun();
  const steps = (run: typeof gated, change: Partial<RunFacts>) =>
    told(reconcile(inputOf(run, someFacts({ ...NOTHING_READ, ...change }))));
  const NOTHING_READ = { change: UNREAD, branchWork: UNREAD, searchedRoots: UNREAD };

  it('are given what they rest on, all of it together, before their answer is recorded', () => {
    expect(steps(proposed, {})).toBe('need change, branchWork, searchedRoots');
    expect(told(reconcile(inputOf(proposed)))).toBe('gated');
  });

  it('of a run that is withdrawn, launched or waiting for its launcher ask for nothing', () => {
    expect(steps(proposed, { pull: known(aPull({ state: 'closed' })) })).toBe('closed');
    const ordered = gated.approved(bob).ordered();
    for (const run of [ordered.claimed(), ordered.submitted()])
      expect(steps(run, {})).not.toContain('need change');
  });

  it('say on what they rest where it cannot be read: no answer is recorded over one that is there', () => {
    const away = unknown('git is away');
    const unread = { change: away, branchWork: away, searchedRoots: away };
    expect(steps(proposed, unread)).toBe('gated');
    expect(steps(gated, unread)).not.toContain('gated');
  });

  it('ask what a fix changes before they tell of it', () => {
    const fixed = { pull: known(aPull({ headSha: shaOf('a fix') })), changedSince: UNREAD };
    expect(told(reconcile(inputOf(aFailed(), someFacts(fixed))))).toBe('need changedSince');
  });
});

function aFailed(run = gated): typeof gated {
  return run.approved(bob).ordered().submitted().observed().ended({ status: 'FAILED' });
}

describe('/relaunch beyond the restarts that were approved', () => {
  const config = {
    ...CONFIG,
    lane: { ...CONFIG.lane, restartsMax: 0 },
  };
  const once = gatedOn(someFacts(), config);
  const digest = /[0-9a-f]{32}/.exec(once.state.gate?.digest ?? '')?.[0] ?? '';
  const relaunching = (change: Partial<RunFacts>) =>
    heardAtNoon(aFailed(once), [aComment(bob, `/relaunch ${digest}`)], change);

  it('asks whose work it is, and is no approval where that cannot be told', () => {
    const asked = relaunching({ branchWork: UNREAD });
    expect(asked.kind === 'step' ? told(asked.step) : asked.kind).toBe('need branchWork');
    const answers = (change: Partial<RunFacts>): unknown => {
      const { step } = relaunching(change) as Extract<CommandOutcome, { kind: 'step' }>;
      return step.kind === 'append' ? step.drafts.map(({ type }) => type) : step.kind;
    };
    expect(answers({ branchWork: unknown('GitHub is away') })).toEqual(['command-seen', 'command-answered']);
    expect(answers({})).toEqual(['command-seen', 'approved', 'command-answered']);
  });
});
