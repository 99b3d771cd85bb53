// Facts that cost something are asked for by whoever decides with them, and by nobody before.

import { describe, expect, it } from 'vitest';
import type { RunFacts } from '../../src/domain/facts.ts';
import { notAsked } from '../../src/domain/need.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { bob } from '../support/run-drafts.ts';
import { aComment, permissions } from '../support/run-facts.ts';
import { gatedOn, heardAtNoon, lineFor, told } from './parts.ts';

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
