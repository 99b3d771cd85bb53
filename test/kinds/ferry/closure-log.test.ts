import { describe, expect, it } from 'vitest';
import { FERRY_CLOSURE_LOG, renderClosureLog } from '../../../src/kinds/ferry/kind.ts';
import { renderTagMessage } from '../../../src/render/card.ts';
import { renderMismatch, renderUnreadableDelta } from '../../../src/render/check.ts';
import { type ClosureDecision, judgeRun } from '../../../src/run/kind.ts';
import { aRun } from '../../support/run-builder.ts';
import { bob } from '../../support/run-drafts.ts';
import { aConfig } from '../../support/run-parts.ts';

const config = aConfig();
const passed: ClosureDecision = { kind: 'seal', verdict: 'pass', accept: null };
const accepted = { kind: 'seal', verdict: 'accepted', accept: 'metrics complete\n* logbook 0:evil' } as const;
const failed: ClosureDecision = { kind: 'close', outcome: 'failed', reason: 'exit code 1' };
const today = aRun().gated().approved(bob).ordered().submitted().observed().ended().state;
const tomorrow = aRun({ date: '2026-11-22', issue: 22, pull: 23 })
  .gated()
  .approved(bob)
  .ordered()
  .submitted()
  .ended().state;
const tag = 'ferry/daily/20261121/ferry-daily-20261121';

function logged(before: string | null, state = today, decision = passed): string {
  const verdict = state.end === null ? null : judgeRun(state.end, config.lane, []);
  return renderClosureLog({ before, state, decision, tag, verdict });
}

describe('the ferry log', () => {
  it('starts with a heading and grows at its end', () => {
    const first = logged(null);
    const second = logged(first, tomorrow, failed);
    expect(second).toMatchSnapshot();
    expect(second.startsWith(first.trimEnd())).toBe(true);
  });

  it('contains a run once, also if the closure is repeated', () => {
    const first = logged(null);
    expect(logged(first)).toBe(first);
    expect(logged(first.replaceAll('\n', '\r\n'))).toBe(first.replaceAll('\n', '\r\n'));
    const both = logged(first, tomorrow);
    expect(logged(both)).toBe(both);
  });

  it('keeps what people wrote', () => {
    const theirs = '# Our log\n\nNotes of ours.\n';
    expect(logged(theirs)).toContain('# Our log\n\nNotes of ours.\n\n## 2026-11-21 `ferry-daily-20261121`\n');
  });
});

describe('the closure pull request', () => {
  it.each([
    ['a pass', passed],
    ['an acceptance', accepted],
    ['a failure', failed],
  ] as const)('%s', (_, decision) => {
    const { title, body } = FERRY_CLOSURE_LOG.pull({ state: today, decision, tag });
    expect(title).toMatchSnapshot();
    expect(body).toMatchSnapshot();
  });
});

describe('the seal tag', () => {
  it('contains the anchor once, on a separate line', () => {
    const message = renderTagMessage(today, accepted);
    const anchors = message.split('\n').filter((line) => line.startsWith('logbook '));
    expect(anchors).toEqual([`logbook ${today.head.seq}:${today.head.hash}`]);
    expect(message).toMatchSnapshot();
  });
});

describe('annotations', () => {
  it.each(['undeclared', 'unchanged'] as const)('%s', (kind) => {
    const isMissing = kind === 'undeclared';
    const mismatch = {
      kind,
      knob: 'learning_rate',
      actual: isMissing ? '3e-3 -> 6e-3' : null,
      fileLine: isMissing ? 41 : null,
      row: isMissing ? '| `learning_rate` | `3e-3` | `6e-3` |' : null,
    };
    expect(renderMismatch(mismatch)).toMatchSnapshot();
  });

  it('name a change that cannot be counted and a file that does not parse', () => {
    expect(
      renderUnreadableDelta({ kind: 'structural', side: 'head', line: 12, statement: 'def f(x):' }),
    ).toMatchSnapshot();
    expect(
      renderUnreadableDelta({ kind: 'unparsable', side: 'head', line: 7, message: 'unexpected indent' }),
    ).toMatchSnapshot();
  });
});
