/** When the gates' answer is news, and when an approval falls: never because something cannot be read for a moment. */

import { describe, expect, it } from 'vitest';
import type { RunFacts } from '../../src/domain/facts.ts';
import { branded, isTreeId } from '../../src/domain/ids.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { decideGates } from '../../src/run/decide-gates.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { alice, bob, digestOf, shaOf } from '../support/run-drafts.ts';
import { aBody, aChange, anIssue, aPull, someFacts } from '../support/run-facts.ts';
import { gatedOn, gatesOn, told } from './parts.ts';

const decide = (run: RunBuilder, facts: RunFacts) => decideGates(run.state, facts, gatesOn(run.state, facts));
const approved = gatedOn().approved(bob).approved(alice);
const moved = aChange({
  trees: { experiments: branded('9'.repeat(40), isTreeId), lib: branded('2'.repeat(40), isTreeId) },
});
const structural = aChange({ delta: { kind: 'structural', side: 'head', line: 1, statement: 'x()' } });

describe('the gates', () => {
  it('are recorded once', () => {
    expect(decide(gatedOn(), someFacts())).toBeNull();
  });

  it('are recorded again when the commit moves, though the approval stays', () => {
    const facts = someFacts({ pull: known(aPull({ headSha: shaOf('rebased') })) });
    expect(told(decide(approved, facts))).toBe('gated');
  });

  it('are recorded again when a verdict changes in what it found', () => {
    const boxes = [{ text: 'issue created/updated', checked: false, line: 9 }];
    const held = gatedOn(someFacts({ body: known(aBody({ boxes })) }));
    const facts = someFacts({
      body: known(aBody({ boxes: boxes.map((box) => ({ ...box, line: 10 })) })),
    });
    expect(told(decide(held, facts))).toBe('gated');
  });

  it('are left alone once the runner has the order', () => {
    const facts = someFacts({ change: known(moved) });
    expect(decide(approved.ordered().claimed(), facts)).toBeNull();
    expect(decide(approved.ordered().submitted(), facts)).toBeNull();
  });
});

describe('an approval falls when', () => {
  it.each([
    ['manifest-changed', someFacts({ change: known(moved) })],
    ['manifest-changed', someFacts({ change: known(structural) })],
    ['body-edited', someFacts({ body: known(aBody({ fingerprint: digestOf('edited') })) })],
    ['gate-fails', someFacts({ issue: known(anIssue({ state: 'closed' })) })],
  ] as const)('%s', (reason, facts) => {
    const step = decide(approved, facts);
    expect(told(step)).toBe('approval-dropped, gated');
    expect(step).toMatchObject({ drafts: [{ data: { reason, users: [bob.id, alice.id] } }, {}] });
  });

  it('the order that rests on it is open: the order becomes void', () => {
    const ordered = approved.ordered();
    const step = decide(ordered, someFacts({ change: known(moved) }));
    if (step?.kind !== 'append') throw new Error('nothing was recorded');
    expect(ordered.add(...step.drafts).state).toMatchObject({ order: { status: 'void' }, approvals: [] });
  });
});

describe('what cannot be read', () => {
  it.each(['pull', 'issue', 'change', 'body', 'recordedRuns'] as const)(
    '%s takes no approval away and records nothing',
    (name) => {
      expect(decide(approved, someFacts({ [name]: unknown('GitHub is away') }))).toBeNull();
    },
  );

  it('is recorded where nothing was recorded yet, so that a person sees what is missing', () => {
    const facts = someFacts({ issue: unknown('GitHub is away') });
    const run = gatedOn(facts);
    expect(run.state.gate?.verdicts.find((v) => v.gate === 'issue-updated')?.outcome).toBe('unknown');
    expect(told(decide(run, someFacts()))).toBe('gated');
  });
});
