/** Suggests a newcomer's next step, for the current speaker. GitHub has no such panel. */
import type { ApiCheckRun } from './api/run-shapes.ts';
import type { ApiComment, ApiIssue } from './api/thread-shapes.ts';
import { type Html, html } from './html.ts';
import { renderMarkdown } from './markdown/render-markdown.ts';
import type { Person } from './people.ts';

/** Commands with buttons that write them into the comment box; the bot's `/help` lists all commands. */
const QUICK_COMMANDS = [
  { command: '/approve-launch', note: 'let it sail' },
  { command: '/status', note: 'what happens, on what evidence' },
  { command: '/stop', note: 'end the run' },
  { command: '/seal', note: 'record it for good' },
  { command: '/help', note: 'all commands' },
] as const;

/** The same, each with the text that its button writes: for an approval, the whole line that the bot requests. */
export function suggestCommands(
  wish: BotWish,
): readonly { readonly command: string; readonly note: string; readonly written: string }[] {
  const approvalLine = wish.kind === 'wish' ? findApprovalLine(wish.text) : null;
  return QUICK_COMMANDS.map((one) => ({
    ...one,
    written: one.command === '/approve-launch' ? (approvalLine ?? one.command) : one.command,
  }));
}

function findApprovalLine(text: string): string | null {
  return /\/approve-launch [0-9a-f]{32,64}/.exec(text)?.[0] ?? null;
}

/** Whether the bot manages a thread: it is labelled for the bot, or the bot opened or checked it. */
export function isFerryThread(issue: ApiIssue, checks: readonly ApiCheckRun[] = []): boolean {
  const labelled = issue.labels.some(({ name }) => /\b(?:ferry|hero|rental|watch)\b/i.test(name));
  const checked = checks.some(({ app }) => app?.slug === 'ferrybot');
  return labelled || checked || /^ferrybot\b/.test(issue.user?.login ?? '');
}

/** What the bot requests in a thread: it has not commented, it requests nothing, or this (one line of Markdown). */
export type BotWish = { readonly kind: 'unheard' | 'none' } | { readonly kind: 'wish'; readonly text: string };

/**
 * Parsed from the bot's own comments (`**Wanted: …**`), the latest written or edited: its status card is edited in
 * place.
 */
export function readBotWish(comments: readonly ApiComment[]): BotWish {
  const spoken = comments
    .filter(({ user }) => user?.type === 'Bot')
    .toSorted((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));
  if (spoken.length === 0) return { kind: 'unheard' };
  for (const { body } of spoken) {
    const text = /\*\*Wanted: (.+?)\*\*\s*$/m.exec(body ?? '')?.[1];
    if (text !== undefined) return { kind: 'wish', text };
  }
  return { kind: 'none' };
}

/** The pull request that only records a sealed run. */
export function isClosure(issue: ApiIssue): boolean {
  return issue.labels.some(({ name }) => /\blog-only\b/i.test(name));
}

/** One sentence: what this person can do in the thread now. */
export function renderNextStep(speaker: Person, issue: ApiIssue, ferry: boolean, wish: BotWish): Html {
  if (issue.state !== 'open') return html`<p>This thread is closed. What happened here is on record below.</p>`;
  if (!ferry) return html`<p>Read, then answer in the box below.</p>`;
  if (isClosure(issue))
    return html`<p>This pull request records a ferry that is sealed, and changes its log alone. Who may write reads it and merges it: the next ferry goes on from there.</p>`;
  if (wish.kind === 'none')
    return html`<p>Nothing is wanted of you at the moment. <code>/status</code> tells what happens, and on what evidence.</p>`;
  if (wish.kind === 'wish' && !wish.text.includes('/approve-launch'))
    return renderMarkdown(`ferrybot says: ${wish.text}`, { repoPath: '' });
  return html`<p>${renderBeforeLaunch(speaker, wish.kind === 'wish' ? findApprovalLine(wish.text) : null)}</p>`;
}

function renderBeforeLaunch(speaker: Person, line: string | null): Html {
  switch (speaker.role) {
    case 'maintainer':
      return html`You run this lab. Read the change and its checks; when you are content, comment the line of the card${line === null ? '' : html`, <code>${line}</code>`}. Nothing starts before a person said so.`;
    case 'author':
      return html`You may ask for <code>/status</code> and answer questions. Approval has to come from somebody who did not write the change: switch to the maintainer at the top right.`;
    case 'reader':
      return html`You may ask for <code>/status</code>. Try <code>/approve-launch</code> too, and see how the bot refuses.`;
    case 'stranger':
      return html`You belong to nobody here. Try any command, and see what the bot tells a stranger.`;
  }
}
