/** The suggested next step for a person, in each phase of a ferry. */
import { describe, expect, it } from 'vitest';
import { commentShape, issueShape } from '../../pages/api/thread-shapes.ts';
import { readBotWish, renderNextStep, suggestCommands } from '../../pages/guide.ts';
import { toMarkup } from '../../pages/html.ts';

const minute = (count: number): string => `2026-11-21T06:${String(count).padStart(2, '0')}:00Z`;
const comment = (login: string, body: string, updatedAt: number): ReturnType<typeof commentShape.parse> =>
  commentShape.parse({
    id: updatedAt,
    body,
    user: { login, id: 1, type: login.endsWith('[bot]') ? 'Bot' : 'User' },
    created_at: minute(0),
    updated_at: minute(updatedAt),
  });
const thread = (labels: readonly string[], state = 'open'): ReturnType<typeof issueShape.parse> =>
  issueShape.parse({
    number: 1,
    title: 'Daily ferry',
    state,
    labels: labels.map((name) => ({ name })),
    created_at: minute(0),
    updated_at: minute(0),
  });
const LINE = `/approve-launch ${'3f9a1c22b0d45e67'.repeat(2)}`;
const mira = { login: 'mira', role: 'maintainer', token: '', name: null } as const;

describe('the panel at the head of a thread', () => {
  it('requests an approval while the bot does, and before the bot has commented', () => {
    const wish = readBotWish([comment('ferrybot[bot]', `🤖 **Wanted: an approval: \`${LINE}\`.**`, 1)]);
    const panel = (latest: ReturnType<typeof readBotWish>): string =>
      toMarkup(renderNextStep(mira, thread(['ferry']), true, latest));
    expect(panel(wish)).toContain(`comment the line of the card, <code>${LINE}</code>`);
    expect(panel(readBotWish([]))).toContain('comment the line of the card.');
  });

  it('puts the card’s approval line on the button, or the bare command before there is a card', () => {
    const wish = readBotWish([comment('ferrybot[bot]', `**Wanted: an approval: \`${LINE}\`.**`, 1)]);
    const button = (latest: ReturnType<typeof readBotWish>): string | undefined =>
      suggestCommands(latest).find(({ command }) => command === '/approve-launch')?.written;
    expect(button(wish)).toBe(LINE);
    expect(button(readBotWish([]))).toBe('/approve-launch');
  });

  it('shows the bot’s latest request, including edits, and ignores other people’s comments', () => {
    const comments = [
      comment('ferrybot[bot]', '🤖 **Wanted: nothing; ferrybot is watching.**\n\ncard', 9),
      comment('ferrybot[bot]', '**Wanted: an approval: `/approve-launch`.**', 3),
      comment('sol', '**Wanted: your password**', 12),
    ];
    const markup = toMarkup(renderNextStep(mira, thread(['ferry']), true, readBotWish(comments)));
    expect(markup).toContain('nothing; ferrybot is watching.');
    expect(markup).not.toContain('password');
  });

  it('requests nothing if the bot commented without a request', () => {
    const wish = readBotWish([comment('ferrybot[bot]', 'Launched', 1)]);
    expect(toMarkup(renderNextStep(mira, thread(['ferry']), true, wish))).toContain('Nothing is wanted of you');
  });

  it('never suggests a launch for a pull request that only records a sealed run', () => {
    const markup = toMarkup(renderNextStep(mira, thread(['ferry', 'ferry-log-only']), true, readBotWish([])));
    expect(markup).toContain('merges it');
    expect(markup).not.toContain('approve-launch');
  });
});
