/** What a newcomer can do next, said for the person who is speaking; GitHub has no such panel, the playground does. */
import type { ApiCheckRun } from './api/run-shapes.ts';
import type { ApiIssue } from './api/thread-shapes.ts';
import { type Html, html } from './html.ts';
import type { Person } from './people.ts';

/** Commands offered as buttons that write them into the comment box; the bot's `/help` tells all of them. */
export const quickCommands = [
  { command: '/approve-launch', note: 'let it sail' },
  { command: '/status', note: 'what happens, on what evidence' },
  { command: '/stop', note: 'end the run' },
  { command: '/seal', note: 'record it for good' },
  { command: '/help', note: 'all commands' },
] as const;

/** A thread that the bot looks after: labelled so, or opened or checked by it. */
export function isFerryThread(issue: ApiIssue, checks: readonly ApiCheckRun[] = []): boolean {
  const labelled = issue.labels.some(({ name }) => /\b(?:ferry|hero|rental|watch)\b/i.test(name));
  const checked = checks.some(({ app }) => app?.slug === 'ferrybot');
  return labelled || checked || /^ferrybot\b/.test(issue.user?.login ?? '');
}

/** One sentence: what this person can do here now. */
export function wantedFrom(speaker: Person, issue: ApiIssue, ferry: boolean): Html {
  if (issue.state !== 'open') return html`This thread is closed. What happened here is on record below.`;
  if (!ferry) return html`Read, then answer in the box below.`;
  if (speaker.role === 'maintainer') {
    return html`You run this lab. Read the change and its checks; when you are content, comment <code>/approve-launch</code>. Nothing starts before a person said so.`;
  }
  if (speaker.role === 'author') {
    return html`You may ask for <code>/status</code> and answer questions. Approval has to come from somebody who did not write the change: switch to the maintainer at the top right.`;
  }
  if (speaker.role === 'reader') {
    return html`You may ask for <code>/status</code>. Try <code>/approve-launch</code> too, and see how the bot refuses.`;
  }
  return html`You belong to nobody here. Try any command, and see what the bot tells a stranger.`;
}
