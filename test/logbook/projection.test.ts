// The Markdown logbook: the policy's shape, and escaped outside text.

import { describe, expect, it } from 'vitest';
import { code, prose } from '../../src/domain/logbook/define.ts';
import { formatEvents, projectLogbook } from '../../src/logbook/projection.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { alice, commandSeen, composeFile, listFerryEvents, proposed, RUN } from './sample-logbook.ts';

const { events } = composeFile(listFerryEvents(2));

describe('the logbook of a ferry', () => {
  const markdown = projectLogbook(events);

  // rule HR-25
  it('has the sections of the policy in order, and an entry for every event', () => {
    const headings = markdown.split('\n').filter((line) => /^#{1,2} /.test(line));
    expect(headings).toEqual([`# ${RUN}: Run Logbook`, '## Run Contract', '## Launched Instances', '## Event Log']);
    const entries = markdown.slice(markdown.indexOf('## Event Log'));
    expect(
      entries.match(/^### 2026-11-21 09:\d\d UTC - .+\n\n- Status: .+\n- Evidence:.*\n- Decision:.*\n- Next:.*$/gm),
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
    expect(formatEvents(RUN, before.events)).toContain(`to user ${bob.id}, user 999`);
    expect(formatEvents(RUN, before.events)).toContain('to @mira (7)');
    const life = before.approved(bob).add(told(2));
    expect(projectLogbook(life.events)).toContain(`, to @bob (${bob.id}), user 999\n`);
  });

  it('lists the launched instance with its command and commit', () => {
    const instances = markdown.slice(markdown.indexOf('## Launched'), markdown.indexOf('## Event Log'));
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
    const [contract = '', instance = ''] = projectLogbook(life.events).split('## Launched Instances');
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
      /^- Babysitter\/check cadence: every 9.5 min$/m,
    ])
      expect(instance).toMatch(said);
    for (const said of [/^- DRI: @\S+$/m, /^- W&B: `https:.+`$/m, /^- Output root: `.+`$/m])
      expect(contract).toMatch(said);
  });

  it('lists for each instance the results of its own attempt', () => {
    const life = listFerryEvents(2);
    const again = life.flatMap((draft) =>
      draft.type === 'submitted' ? [{ ...draft, data: { ...draft.data, attempt: 2, jobId: 'second' } }] : [],
    );
    const ended = life.slice(0, life.findIndex(({ type }) => type === 'ended') + 1);
    const [, first = '', second = ''] =
      projectLogbook(composeFile([...ended, ...again]).events)
        .split('## Event Log')[0]
        ?.split(/^### .+ UTC - /m) ?? [];
    expect(first).toContain('- Final step: 5155\n');
    expect(first).toContain('- Babysitter/check cadence: every 9.5 min\n');
    expect(second).toContain('`second`');
    expect(second).toMatch(/- Final step:\s*\n/);
    expect(second).toMatch(/- Babysitter\/check cadence:\s*\n/);
  });

  it('renders the journal without the sections of a run', () => {
    const journal = projectLogbook(composeFile([commandSeen(1, 'status')], 'journal').events);
    expect(journal).toContain('# Repository Journal\n');
    expect(journal).not.toContain('Run Contract');
  });
});

describe('text from outside', () => {
  it('cannot imitate an entry, neither in a command nor in a login', () => {
    const evil = '<!-- x -->\n# forged\n`x` <b>_[link](http://x)_</b> -->';
    const draft = { ...commandSeen(1, 'status'), actor: { ...alice, login: 'a\n## forged' } };
    if (draft.type !== 'command-seen') throw new Error(draft.type);
    const [event] = composeFile(
      [{ ...draft, data: { ...draft.data, args: { reason: evil, [evil]: 'x' } } }],
      'journal',
    ).events;
    if (event === undefined) throw new Error('no event');
    const markdown = projectLogbook([event]);
    expect(markdown).not.toContain('<!--');
    expect(markdown).not.toMatch(/^#+ forged/m);
    expect(markdown).toContain('&lt;b&gt;');
  });

  it('is one escaped line, and ends no comment and no code span', () => {
    expect(prose('a\r\n\u2028b <i> & *c* \\ \u202e#1')).toBe('a b &lt;i&gt; &amp; \\*c\\* \\\\  \\#1');
    expect(code('it is `x`')).toBe('`` it is `x` ``');
    expect(code('--> <!-- x')).toBe('`-- > <! -- x`');
    expect(code('')).toBe('(none)');
  });
});

describe('show', () => {
  it('prints the run in plain words, safe for a terminal', () => {
    const text = formatEvents(RUN, composeFile([proposed, commandSeen(501, 'approve-launch')]).events);
    expect(text).toMatch(/^ferry-daily-20261121: 2 events, head 1:[0-9a-f]{64}\n\n/);
    expect(text).toContain('2026-11-21 09:00 UTC  proposed: proposed as ferry-daily-20261121 in lane daily\n');
    expect(text).toContain('"quoted" <b>and</b> 🤖');
    expect(text).toContain('command-seen: @alice (101) wrote /approve-launch');
  });
});
