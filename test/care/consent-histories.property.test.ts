/**
 * Random histories of proposals, consents, edits, deletions, lost permissions, expiries, replays, other
 * threads and crashed runners. An action is called at most once, and only with a consent that is valid at
 * that moment by an independent model.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mintAction } from '../../src/actions/mint.ts';
import { type ActionFacts, actionFault } from '../../src/actions/verify-action.ts';
import {
  type ActionRecord,
  actionsAfter,
  illegalAction,
  isActionEvent,
} from '../../src/domain/actions/action-state.ts';
import { spendCapability } from '../../src/domain/actions/capability.ts';
import type { CommentFacts } from '../../src/domain/facts.ts';
import type { EventDraft, LogbookEvent } from '../../src/domain/logbook/event.ts';
import { type Digest, known, toRfc3339 } from '../../src/domain/values.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';
import {
  at,
  BARE,
  COMMAND,
  comment,
  consentDraft,
  digestOf,
  facts,
  lineFor,
  mira,
  proposal,
  proposedDraft,
  RUN,
} from './consent-parts.ts';

const sol = { id: 8, login: 'sol' };
const ROUNDS = [1, 2] as const;
const proposals = ROUNDS.map((round) => proposal({ round }));
const SECOND = lineFor(proposal({ round: 2 }));

type Act =
  | { readonly act: 'propose' | 'carry-out' | 'carry-out-and-die'; readonly round: 0 | 1 }
  | {
      readonly act: 'write';
      readonly round: 0 | 1;
      readonly by: 'mira' | 'sol';
      readonly thread: 12 | 13;
      readonly text: string;
    }
  /** Control records it in any case: the runner is the second line of defence. */
  | { readonly act: 'record'; readonly round: 0 | 1; readonly nth: number }
  | { readonly act: 'edit' | 'delete' | 'hide'; readonly nth: number }
  | { readonly act: 'demote' | 'promote' }
  | { readonly act: 'wait'; readonly minutes: number };

const which = fc.constantFrom(0 as const, 0 as const, 1 as const);
const nth = fc.constantFrom(0, 0, 0, 1, 1, 2);
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ act: fc.constant('propose' as const), round: which }) },
  { weight: 6, arbitrary: fc.record({ act: fc.constant('carry-out' as const), round: which }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('carry-out-and-die' as const), round: which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('write' as const),
      round: which,
      by: fc.constantFrom('mira' as const, 'mira' as const, 'sol' as const),
      thread: fc.constantFrom(12 as const, 12 as const, 13 as const),
      text: fc.constantFrom(
        COMMAND,
        COMMAND,
        SECOND,
        BARE,
        `> ${COMMAND}`,
        '/approve-launch',
        `${COMMAND}-2`,
      ),
    }),
  },
  { weight: 6, arbitrary: fc.record({ act: fc.constant('record' as const), round: which, nth }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constantFrom('edit' as const, 'delete' as const, 'hide' as const), nth }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('demote' as const, 'promote' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 50 }) }),
  },
);

type World = {
  minute: number;
  actions: readonly ActionRecord[];
  seq: number;
  comments: Map<number, CommentFacts>;
  /** Each comment as it was first written. */
  written: Map<number, CommentFacts>;
  isMaintainer: boolean;
  /** Every call: which proposal, on which comment, at which minute. */
  calls: { readonly digest: Digest; readonly comment: number; readonly minute: number }[];
  readonly mutant: Mutant;
};

/**
 * A skipped check, as the false fact that satisfies it; `hasRules` false skips the logbook's own rules too.
 */
type Mutant = {
  readonly name: string;
  readonly lie?: (facts: ActionFacts, world: World) => ActionFacts;
  readonly hasRules?: false;
};
const NOTHING_LEFT_OUT: Mutant = { name: 'nothing' };

/** The comment, if it exists, with one property changed. */
function seenAs(facts: ActionFacts, change: (said: CommentFacts) => Partial<CommentFacts>): ActionFacts {
  const { cited } = facts;
  if (cited.kind === 'unknown' || cited.value === null) return facts;
  return { ...facts, cited: known({ ...cited.value, ...change(cited.value) }) };
}

const MUTANTS: readonly Mutant[] = [
  { name: 'whether it was edited', lie: (asked) => seenAs(asked, () => ({ editedAt: null })) },
  { name: 'whether it is hidden', lie: (asked) => seenAs(asked, () => ({ minimized: false })) },
  {
    name: 'whether it is still there',
    lie: (asked, world) => {
      const source = asked.action?.approvals.at(-1)?.source;
      const first = source?.kind === 'comment' ? world.written.get(source.comment) : undefined;
      const isGone = asked.cited.kind === 'known' && asked.cited.value === null;
      return isGone && first !== undefined
        ? { ...asked, cited: known(first), permission: known('maintain') }
        : asked;
    },
  },
  { name: 'the permission of its author', lie: (asked) => ({ ...asked, permission: known('maintain') }) },
  {
    name: 'its text',
    lie: (asked) => {
      const honest = seenAs(asked, () => ({ body: COMMAND, bodyDigest: comment().bodyDigest }));
      const { action } = honest;
      if (action === null) return honest;
      const consents = action.approvals.map((one) =>
        one.source.kind === 'comment'
          ? { ...one, source: { ...one.source, bodyDigest: comment().bodyDigest } }
          : one,
      );
      return { ...honest, action: { ...action, approvals: consents } };
    },
  },
  {
    name: 'its thread',
    lie: (asked) => seenAs(asked, () => ({ thread: 12 })),
    hasRules: false,
  },
  { name: 'whether there was already a claim', hasRules: false },
];

/** Appends as the logbook does: what the rules reject is not written. */
function append(world: World, draft: EventDraft): number | null {
  const event = {
    ...draft,
    run: RUN,
    seq: world.seq,
    at: toRfc3339(at(world.minute)),
  } as unknown as LogbookEvent;
  if (!isActionEvent(event)) return null;
  if (world.mutant.hasRules !== false && illegalAction(world.actions, RUN, event) !== null) return null;
  world.actions = actionsAfter(world.actions, event);
  world.seq += 1;
  return event.seq;
}

function play(world: World, act: Act): void {
  switch (act.act) {
    case 'propose':
      append(world, proposedDraft(proposals[act.round]));
      return;
    case 'write': {
      const id = 900 + world.written.size;
      const author = act.by === 'mira' ? mira : sol;
      const createdAt = at(world.minute);
      const { thread, text: body } = act;
      const said = comment({ id, author, thread, body, createdAt, updatedAt: createdAt });
      world.written.set(id, said);
      world.comments.set(id, said);
      return;
    }
    case 'record': {
      const said = world.comments.get(900 + act.nth);
      if (said !== undefined) append(world, consentDraft(said, proposals[act.round]));
      return;
    }
    case 'edit':
    case 'delete':
    case 'hide':
      change(world, act.act, 900 + act.nth);
      return;
    case 'demote':
    case 'promote':
      world.isMaintainer = act.act === 'promote';
      return;
    case 'wait':
      world.minute += act.minutes;
      return;
    case 'carry-out':
    case 'carry-out-and-die':
      carryOut(world, act.round, act.act === 'carry-out-and-die');
      return;
  }
}

function change(world: World, how: 'edit' | 'delete' | 'hide', id: number): void {
  const said = world.comments.get(id);
  if (said === undefined) return;
  if (how === 'delete') world.comments.delete(id);
  else
    world.comments.set(id, {
      ...said,
      ...(how === 'edit' ? { editedAt: at(world.minute) } : { minimized: true }),
    });
}

/** The runner: judge, claim, mint, spend, call. If it dies after the claim, it never calls. */
function carryOut(world: World, round: 0 | 1, dies: boolean): void {
  const { digest } = proposedDraft(proposals[round]).data;
  const asked = (): ActionFacts => {
    const action = world.actions.find((one) => one.digest === digest) ?? null;
    const source = action?.approvals.at(-1)?.source;
    const id = source?.kind === 'comment' ? source.comment : 0;
    const said = world.comments.get(id) ?? null;
    const isAllowed = said?.author.id === mira.id && world.isMaintainer;
    const honest = facts({
      action,
      now: at(world.minute),
      cited: known(said),
      permission: known(isAllowed ? 'maintain' : 'read'),
    });
    return world.mutant.lie?.(honest, world) ?? honest;
  };
  const before = asked();
  const consent = before.action?.approvals.at(-1) ?? null;
  if (actionFault(before, consent) !== null || consent === null || consent.source.kind !== 'comment') return;
  const seq = append(world, {
    type: 'action-claimed',
    role: 'runner',
    data: { proposal: digest, consent: consent.seq, workflowRun: 1 },
  });
  if (seq === null || dies) return;
  const minted = mintAction(asked(), { seq });
  if (!minted.ok) return;
  for (const step of proposals[round]?.steps ?? [])
    spendCapability({ capability: minted.value, now: at(world.minute) }, step);
  world.calls.push({ digest, comment: consent.source.comment, minute: world.minute });
}

/** The conditions for a call at its moment, written without the code under test. */
function isGrounded(world: World, call: World['calls'][number]): boolean {
  const said = world.comments.get(call.comment);
  return (
    said !== undefined &&
    said.author.id === mira.id &&
    world.isMaintainer &&
    said.thread === 12 &&
    said.editedAt === null &&
    !said.minimized &&
    said.body === (call.digest === canonicalDigest(proposal(), digestOf) ? COMMAND : SECOND) &&
    at(call.minute) - said.createdAt < 3_600_000
  );
}

/**
 * The number of calls over all histories; throws at the first call without grounds or the second for one
 * consent.
 */
function callsOver(mutant: Mutant, numRuns: number): number {
  let called = 0;
  fc.assert(
    fc.property(fc.array(acts, { minLength: 4, maxLength: 40 }), (history) => {
      const world: World = {
        minute: 0,
        actions: [],
        seq: 1,
        comments: new Map(),
        written: new Map(),
        isMaintainer: true,
        calls: [],
        mutant,
      };
      for (const act of [...opening, ...history]) {
        const before = world.calls.length;
        play(world, act);
        for (const call of world.calls.slice(before)) expect(isGrounded(world, call)).toBe(true);
      }
      const digests = world.calls.map(({ digest }) => digest);
      expect(new Set(digests).size).toBe(digests.length);
      expect(new Set(world.calls.map(({ comment: id }) => id)).size).toBe(digests.length);
      called += digests.length;
    }),
    { numRuns, seed: 20261121, endOnFailure: true },
  );
  return called;
}

/** Half of the steps to a call, so that random histories reach one. */
const opening: readonly Act[] = [
  { act: 'propose', round: 0 },
  { act: 'write', round: 0, by: 'mira', thread: 12, text: COMMAND },
];

describe('random histories of people and processes', () => {
  // rule ML-02
  it('call an action at most once per proposal and comment, and only with a valid consent', () => {
    // Most histories call nothing; a property over none would prove nothing.
    expect(callsOver(NOTHING_LEFT_OUT, 3_000)).toBeGreaterThan(500);
  });

  it.each(MUTANTS)('violate that property if the code does not check $name', (mutant) => {
    expect(() => callsOver(mutant, 3_000)).toThrow();
  });
});
