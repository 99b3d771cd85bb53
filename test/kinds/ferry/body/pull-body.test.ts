import { describe, expect, it } from 'vitest';
import { bodyFingerprintText } from '../../../../src/commands/grammar/approved-text.ts';
import { readPullBody } from '../../../../src/kinds/ferry/pull-body.ts';

const BODY = `<!-- ferrybot:v1 run=ferry-daily-20261121 kind=pull key=pull seq=3:ab -->
### Last ferry references
- Issue: #2954, PR https://github.com/lab/train/pull/2955
- Launch commit: 1b03fc1b8d1f6a0c9c3b1d2e4f5a6b7c8d9e0f1a

### Objective for this interval
Normal daily integration check. Regression detection first.

### Interval boundary
Since the last ferry's launch commit.

### Config delta and rationale
One knob, because the optimizer is due.

| Knob | Before | After |
|---|---|---|
| \`learning_rate\` | \`3e-3\` | \`6e-3\` |
| \`seed\` | absent | \`None\` |

### Risk level
low: one value, medium-sized model.

### Launch checklist
- [x] issue created/updated
- [ ] human approval
- [ ] monitoring loop started
`;

describe('a body as the bot writes it', () => {
  const body = readPullBody(BODY);

  it('has every part', () => {
    expect(body?.lastFerry).toEqual([2955, 2954]);
    expect(body?.objective).toMatchObject({ kind: 'integration' });
    expect(body?.risk).toBe('low');
  });

  it('distinguishes absent from the literal None', () => {
    expect(body?.delta).toEqual([
      { knob: 'learning_rate', before: '3e-3', after: '6e-3' },
      { knob: 'seed', before: null, after: 'None' },
    ]);
  });
});

describe('a person edits the body', () => {
  const withDelta = (text: string): ReturnType<typeof readPullBody> =>
    readPullBody(`### Config delta and rationale\n\n${text}\n`);
  const TABLE = '| Knob | Before | After |\n|---|---|---|\n| `lr` | `1` | `2` |';

  it.each([
    ['a quote', TABLE.replace(/^/gm, '> ')],
    ['code', `\`\`\`\n${TABLE}\n\`\`\``],
    ['a comment', `<!--\n${TABLE}\n-->`],
    ['a list', `- item\n\n${TABLE.replace(/^/gm, '  ')}`],
    ['a table about something else', '| Metric | Value |\n|---|---|\n| loss | 3 |'],
  ])('and puts the table into %s: it is not read as the table', (_, text) => {
    expect(withDelta(text)?.delta).toBeNull();
  });

  it('and writes two tables: neither counts', () => {
    expect(withDelta(`${TABLE}\n\n${TABLE}`)?.delta).toBeNull();
  });

  it('and reorders the columns or adds one', () => {
    const text = '| After | Why | Knob | Before |\n|---|---|---|---|\n| `2` | due | `lr` | `1` |';
    expect(withDelta(text)?.delta).toMatchObject([{ knob: 'lr', before: '1', after: '2' }]);
  });

  it('and writes a value with a pipe, which is read whole', () => {
    const text = '| Knob | Before | After |\n|---|---|---|\n| `k` | `a \\| b` | `` `x` `` |';
    expect(withDelta(text)?.delta).toMatchObject([{ before: 'a | b', after: '`x`' }]);
  });

  const risk = (text: string): unknown => readPullBody(`## Risk level\n${text}\n`)?.risk;
  it.each(['low or medium', 'not much', '> low', '<!-- low -->', ''])('and writes no single risk: %s', (text) => {
    expect(risk(text)).toBeNull();
  });

  it('and removes a heading, or writes it twice', () => {
    expect(readPullBody('nothing here')?.risk).toBeNull();
    expect(readPullBody('### Risk level\nlow\n\n### Risk\nhigh\n')?.risk).toBeNull();
  });

  it('and adds a heading: one of the same level ends a part, a lower one does not', () => {
    const text = '### Checklist\n- [x] a\n\n#### Later\n- [ ] b\n\n### Notes\n- [ ] c\n';
    expect(readPullBody(text)?.checklist).toMatchObject([
      { text: 'a', checked: true },
      { text: 'b', checked: false },
    ]);
  });

  it('and adds a heading in a quote or code, which starts no part', () => {
    expect(readPullBody('> ### Risk level\n> low\n\n```\n### Risk level\nlow\n```\n')?.risk).toBeNull();
  });

  it('and nests it until parsing would stall: no fact is known', () => {
    expect(readPullBody('> '.repeat(9_000))).toBeNull();
  });
});

describe('the fingerprint that an approval of the body is bound to', () => {
  const fingerprint = (body: string): string => bodyFingerprintText(body, ['issue created/updated']);

  it.each([
    ['ferrybot ticks an outcome', BODY.replace('[ ] monitoring', '[x] monitoring')],
    ['ferrybot rewrites its hidden line', BODY.replace('seq=3:ab', 'seq=9:cd')],
    ['the line endings change in GitHub’s editor', BODY.replaceAll('\n', '\r\n')],
    ['an old editor ends lines with only a carriage return', BODY.replaceAll('\n', '\r')],
    ['a blank line is added at the end', `${BODY}\n`],
  ])('is unchanged when %s', (_, changed) => {
    expect(changed).not.toBe(BODY);
    expect(fingerprint(changed)).toBe(fingerprint(BODY));
  });

  it.each([
    ['a precondition is unticked', BODY.replace('[x] issue', '[ ] issue')],
    ['a value in the table changes', BODY.replace('`6e-3`', '`9e-3`')],
    ['the label of a box changes', BODY.replace('human approval', 'human approval not needed')],
    ['a box is removed', BODY.replace('- [ ] human approval\n', '')],
    ['the risk changes', BODY.replace('low:', 'high:')],
    ['text is added next to the hidden line', BODY.replace(' -->\n', ' --> look\n')],
    ['a comment with our prefix hides text', `${BODY}\n<!-- ferrybot:v1\nlaunch twice -->\n`],
  ])('changes when %s', (_, changed) => {
    expect(fingerprint(changed)).not.toBe(fingerprint(BODY));
  });
});
