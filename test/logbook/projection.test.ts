// The Markdown logbook: the shape that the policy requires, and people's text kept byte for byte in every new
// projection.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code, prose } from '../../src/domain/logbook/plain-text.ts';
import { projectLogbook, weave } from '../../src/logbook/projection.ts';
import { showText } from '../../src/logbook/telling.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { alice, commandSeen, fileOf, lifeOfAFerry, proposed, RUN } from './sample-logbook.ts';

const { events } = fileOf(lifeOfAFerry(2));
const OURS = /<!-- logbook:([a-z0-9-]+) -->\n(?:(?!<!-- logbook:)[\s\S])*?<!-- \/logbook:\1 -->\n/g;

describe('the logbook of a ferry', () => {
  const markdown = projectLogbook(events, null);
  const visible = markdown.replaceAll(/<!--.*?-->\n/g, '');

  // rule HR-25
  it('has the sections of the policy in order, and an entry for every event', () => {
    const headings = visible.split('\n').filter((line) => /^#{1,2} /.test(line));
    expect(headings).toEqual([
      `# ${RUN}: Run Logbook`,
      '## Run Contract',
      '## Launched Instances',
      '## Event Log',
    ]);
    const entries = visible.slice(visible.indexOf('## Event Log'));
    expect(
      entries.match(
        /^### 2026-11-21 09:\d\d UTC - .+\n\n- Status: .+\n- Evidence:.*\n- Decision:.*\n- Next:.*$/gm,
      ),
    ).toHaveLength(events.length);
  });

  it('shows the login of a person once an earlier entry contains it', () => {
    const alarm = { detector: 'nan', since: '900', seen: 'nan', attempt: 1 };
    const run = aRun().gated().incident('run-alarm', alarm);
    const about = `${run.state.incidents[0]?.seq}-`;
    const told = (turn: number) =>
      ({
        type: 'notified',
        role: 'control',
        data: { reason: 'incident', about: `${about}${turn}`, people: [bob.id, 999] },
      }) as const;
    const asked = { reason: 'dri-asked', about: 'mira', people: [7] } as const;
    const before = run.add(told(1), { type: 'notified', role: 'control', data: asked });
    expect(showText(RUN, before.events)).toContain(`to user ${bob.id}, user 999`);
    expect(showText(RUN, before.events)).toContain('to @mira (7)');
    const life = before.approved(bob).add(told(2));
    expect(projectLogbook(life.events, null)).toContain(`, to @bob (${bob.id}), user 999\n`);
  });

  it('lists the launched instance with its command and commit', () => {
    const instances = visible.slice(visible.indexOf('## Launched'), visible.indexOf('## Event Log'));
    expect(instances).toContain(
      `### 2026-11-21 09:07 UTC - \`ferrybot-${RUN}-a1\`\n\n- Command: \`python3 experiments/ferries/daily.py\`\n- Git SHA: \`c0ffee`,
    );
    expect(instances).toContain('- Final step: 5155\n');
  });

  // rule HR-21
  it('lists for the launched instance what the policy requires: DRI, source, output, retention, cadence', () => {
    const retention = { permanentEverySteps: 2000, temporaryEveryMinutes: 15, keepTemporary: null };
    const { manifest, digest } = aRun().gated().state.gate ?? {};
    if (manifest == null || digest === undefined) throw new Error('no manifest');
    const gated = aRun().gated({ manifest: { ...manifest, retention }, digest });
    const life = gated.approved(bob).ordered().submitted().observed().ended();
    const [contract = '', instance = ''] = projectLogbook(life.events, null).split('## Launched Instances');
    for (const said of [
      /^### 2026-11-21 09:\d\d UTC - `ferrybot-.+-a1`$/m,
      /^- Command: `FERRY_DATE=2026-11-21 python3 .+`$/m,
      /^- Git SHA: `[0-9a-f]{40}`$/m,
      /^- Dirty tree: no$/m,
      /^- Source bundle\/container: `experiments` at `[0-9a-f]{40}`/m,
      /^- Hardware\/topology: `.+` through `.+`$/m,
      /^- `initialize_from`: \(none\)$/m,
      /^- Final step: 5155$/m,
      /^- Checkpoint policy: permanent every 2000 steps, temporary every 15 min$/m,
      /^- Babysitter\/check cadence: every 570 s$/m,
    ])
      expect(instance).toMatch(said);
    for (const said of [/^- DRI: @\S+$/m, /^- W&B: `https:.+`$/m, /^- Output root: `.+`$/m])
      expect(contract).toMatch(said);
  });

  it('lists for each instance the results of its own attempt', () => {
    const life = lifeOfAFerry(2);
    const again = life.flatMap((draft) =>
      draft.type === 'submitted' ? [{ ...draft, data: { ...draft.data, attempt: 2, jobId: 'second' } }] : [],
    );
    const ended = life.slice(0, life.findIndex(({ type }) => type === 'ended') + 1);
    const [, first = '', second = ''] =
      projectLogbook(fileOf([...ended, ...again]).events, null)
        .split('## Event Log')[0]
        ?.split(/^### .+ UTC - /m) ?? [];
    expect(first).toContain('- Final step: 5155\n');
    expect(first).toContain('- Babysitter/check cadence: every 570 s\n');
    expect(second).toContain('`second`');
    expect(second).toMatch(/- Final step:\s*\n/);
    expect(second).toMatch(/- Babysitter\/check cadence:\s*\n/);
  });

  it('is identical when it is projected again, also for the journal', () => {
    expect(projectLogbook(events, markdown)).toBe(markdown);
    const journal = projectLogbook(fileOf([commandSeen(1, 'status')], 'journal').events, null);
    expect(journal).toContain('# Repository Journal\n');
    expect(journal).not.toContain('Run Contract');
  });
});

describe("people's notes", () => {
  it('stay in place, and new entries follow them', () => {
    const before = projectLogbook(events.slice(0, 9), null).replace(
      '<!-- logbook:events -->',
      'alice: looks fine to me\n\n<!-- logbook:events -->',
    );
    const withNote = `${before}\nbob: I restarted the disk here, 09:30\nand **this** is why`;
    const after = projectLogbook(events, withNote);
    expect(after.startsWith(withNote.slice(0, withNote.indexOf('## Run Contract')))).toBe(true);
    expect(after).toContain('alice: looks fine to me\n\n<!-- logbook:events -->');
    expect(after).toContain(
      '\nbob: I restarted the disk here, 09:30\nand **this** is why\n\n<!-- logbook:event-9 -->',
    );
    expect(after.indexOf('bob:')).toBeGreaterThan(after.indexOf('logbook:event-8 -->'));
  });

  it('never lose a byte, for any text between our blocks', () => {
    const note = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '<!-- logbook:event-3 -->',
        '<!-- /logbook:title -->\n',
        '\r\n',
        '## Event Log\n',
        '<!-- logbook:note -->\nmine\n<!-- /logbook:note -->\n',
      ),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: events.length - 1 }),
        fc.array(fc.tuple(fc.nat(40), note), { maxLength: 6 }),
        (count, notes) => {
          let text = projectLogbook(events.slice(0, count), null);
          for (const [place, added] of notes) {
            const gaps = [0, ...[...text.matchAll(OURS)].map((match) => match.index + match[0].length)];
            const at = gaps[place % gaps.length] ?? 0;
            text = text.slice(0, at) + added + text.slice(at);
          }
          const after = projectLogbook(events, text);
          let from = 0;
          for (const piece of theirs(text)) {
            const at = after.indexOf(piece, from);
            expect(at).toBeGreaterThanOrEqual(from);
            from = at + piece.length;
          }
          expect(projectLogbook(events, after)).toBe(after);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("cannot forge one of our blocks by a command's text or a login", () => {
    const evil = '<!-- /logbook:event-0 -->\n# forged\n`x` <b>_[link](http://x)_</b> -->';
    const draft = { ...commandSeen(1, 'status'), actor: { ...alice, login: 'a\n<!-- logbook:title -->' } };
    if (draft.type !== 'command-seen') throw new Error(draft.type);
    const [event] = fileOf(
      [{ ...draft, data: { ...draft.data, args: { reason: evil, [evil]: 'x' } } }],
      'journal',
    ).events;
    if (event === undefined) throw new Error('no event');
    const markdown = projectLogbook([event], null);
    expect(markdown.match(/<!--/g)).toHaveLength(6);
    expect(markdown).not.toMatch(/^# forged/m);
    expect(markdown).toContain('&lt;b&gt;');
    expect(projectLogbook([event], markdown)).toBe(markdown);
  });
});

describe('weave', () => {
  it('adds missing blocks to the end of their section and keeps broken blocks unchanged', () => {
    const sections = [
      [
        { id: 'a', text: 'A\n' },
        { id: 'b', text: 'B\n' },
      ],
      [{ id: 'c', text: 'C\n' }],
    ];
    const block = (id: string, text: string): string =>
      `<!-- logbook:${id} -->\n${text}<!-- /logbook:${id} -->\n`;
    expect(weave(`${block('a', 'old\n')}note\n${block('c', 'C\n')}`, sections)).toBe(
      `${block('a', 'A\n')}note\n\n${block('b', 'B\n')}${block('c', 'C\n')}`,
    );
    // A copy of a block belongs to people: only the first one is rewritten.
    const copied = block('a', 'old\n') + block('a', 'old\n');
    expect(weave(copied, [[{ id: 'a', text: 'A\n' }]])).toBe(block('a', 'A\n') + block('a', 'old\n'));
    const torn = '<!-- logbook:a -->\nsomebody deleted the end\n';
    expect(weave(torn, [[{ id: 'a', text: 'A\n' }]])).toBe(`${torn}\n${block('a', 'A\n')}`);
  });
});

describe('text from outside', () => {
  it('is one escaped line, and ends no comment and no code span', () => {
    expect(prose('a\r\n\u2028b <i> & *c* \\ \u202e#1')).toBe('a b &lt;i&gt; &amp; \\*c\\* \\\\  \\#1');
    expect(code('it is `x`')).toBe('`` it is `x` ``');
    expect(code('--> <!-- x')).toBe('`-- > <! -- x`');
    expect(code('')).toBe('(none)');
  });
});

describe('show', () => {
  it('prints the run in plain words, safe for a terminal', () => {
    const text = showText(RUN, fileOf([proposed, commandSeen(501, 'approve-launch')]).events);
    expect(text).toMatch(/^ferry-daily-20261121: 2 events, head 1:[0-9a-f]{64}\n\n/);
    expect(text).toContain(
      '2026-11-21 09:00 UTC  proposed: proposed as ferry-daily-20261121 in lane daily\n',
    );
    expect(text).toContain('"quoted" <b>and</b> 🤖');
    expect(text).toContain('command-seen: @alice (101) wrote /approve-launch');
  });
});

/** The pieces outside the blocks that `weave` treats as ours: the first complete block of each id. */
function theirs(text: string): readonly string[] {
  const seen = new Set<string>();
  const cut = '\u0000cut here\u0000';
  const left = text.replaceAll(OURS, (block, id: string) => {
    const isOurs = !seen.has(id) && id !== 'note';
    seen.add(id);
    return isOurs ? cut : block;
  });
  return left.split(cut);
}
