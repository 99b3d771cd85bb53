/** The state of a check, a run, a job or a step: a coloured mark with a word. */
import { type Html, html } from '../html.ts';
import { type IconName, icon } from './icons.ts';

type Progress = { readonly status?: string | null | undefined; readonly conclusion?: string | null | undefined };

type MarkStyle = { readonly icon: IconName; readonly tone: string; readonly word: string };

const conclusions: Readonly<Record<string, MarkStyle>> = {
  success: { icon: 'check', tone: 'good', word: 'succeeded' },
  failure: { icon: 'cross', tone: 'bad', word: 'failed' },
  startup_failure: { icon: 'cross', tone: 'bad', word: 'could not start' },
  timed_out: { icon: 'cross', tone: 'bad', word: 'timed out' },
  action_required: { icon: 'attention', tone: 'wait', word: 'action required' },
  neutral: { icon: 'dash', tone: 'muted', word: 'neutral' },
  skipped: { icon: 'dash', tone: 'muted', word: 'skipped' },
  cancelled: { icon: 'dash', tone: 'muted', word: 'cancelled' },
  stale: { icon: 'dash', tone: 'muted', word: 'stale' },
};

const statuses: Readonly<Record<string, MarkStyle>> = {
  queued: { icon: 'dot', tone: 'wait', word: 'queued' },
  requested: { icon: 'dot', tone: 'wait', word: 'requested' },
  pending: { icon: 'dot', tone: 'wait', word: 'pending' },
  waiting: { icon: 'clock', tone: 'wait', word: 'waiting' },
  in_progress: { icon: 'spin', tone: 'wait', word: 'in progress' },
};

/**
 * The API's values (`status`, `conclusion`) in everyday words. An unknown value is shown unchanged, never as success.
 */
export function progressWord(progress: Progress): string {
  return markStyle(progress).word;
}

export function statusMark(progress: Progress): Html {
  const style = markStyle(progress);
  return html`<span class="mark tone-${style.tone}" title="${style.word}">${icon(style.icon, style.icon === 'spin' ? 'spinning' : '')}<span class="sr-only">${style.word}</span></span>`;
}

export function isFinished({ status }: Progress): boolean {
  return status === 'completed';
}

function markStyle({ status, conclusion }: Progress): MarkStyle {
  const word = (status === 'completed' ? conclusion : status) ?? 'unknown';
  return (status === 'completed' ? conclusions[word] : statuses[word]) ?? { icon: 'dot', tone: 'muted', word };
}
