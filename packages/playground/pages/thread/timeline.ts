/** The history of a thread in order: its text, comments, reviews, commits, and how it was closed. */
import type { ApiComment, ApiReview, ApiReviewComment } from '../api/thread-shapes.ts';
import { type Html, html } from '../html.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { avatar, loginText } from '../parts/avatar.ts';
import { worstCheck } from '../parts/checks-panel.ts';
import { commentCard } from '../parts/comment-card.ts';
import { type IconName, icon } from '../parts/icons.ts';
import { renderMoment } from '../parts/moment.ts';
import { reactionBar } from '../parts/reactions.ts';
import { statusMark } from '../parts/status-mark.ts';
import { showHiddenCharacters } from '../parts/written.ts';
import type { Visit } from '../visit.ts';
import { earlierComments } from './earlier-comments.ts';
import type { PullPart, Thread } from './read-thread.ts';

type Entry = { readonly at: string; readonly markup: Html };

/** Every entry is a live part with its own key, so that a new comment appears without changes to its neighbours. */
export function timeline(visit: Visit, thread: Thread): Html {
  const entries: Entry[] = [
    ...thread.comments.map((comment) => ({ at: comment.created_at, markup: commentEntry(visit, thread, comment) })),
    ...pullEntries(thread),
    ...endEntries(thread),
  ];
  // The sort is stable: entries of the same second keep the order above.
  const sorted = entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const drawn = sorted.map((entry) => entry.markup);
  if (thread.earlier.count === 0)
    return html`<div class="timeline" data-live="timeline">${bodyEntry(visit, thread)}${drawn}</div>`;
  return html`<div class="timeline" data-live="timeline-body">${bodyEntry(visit, thread)}</div>
  ${earlierComments(thread.earlier, requestedComment(visit), (comment) => commentEntry(visit, thread, comment))}
  <div class="timeline" data-live="timeline">${drawn}</div>`;
}

/** `?around=<comment id>`: the earlier comment that is rendered too. */
function requestedComment(visit: Visit): number | null {
  const around = visit.request.query.get('around') ?? '';
  return /^\d{1,15}$/.test(around) ? Number(around) : null;
}

function bodyEntry(visit: Visit, thread: Thread): Html {
  const { issue, place, edits } = thread;
  const at = `${place.path}/issues/${issue.number}`;
  return commentCard(place, {
    key: 'body',
    anchor: 'body',
    login: issue.user?.login ?? null,
    association: issue.author_association,
    app: issue.performed_via_github_app?.name ?? null,
    at: issue.created_at,
    verb: thread.pullPart === null ? 'opened this issue' : 'opened this pull request',
    body: issue.body ?? '',
    edit: edits.get('body') ?? null,
    reactions: reactionBar(issue.reactions, `${at}/reactions`),
    changeAt: canEdit(visit, thread, issue.user?.login) ? at : null,
    after: null,
  });
}

function commentEntry(visit: Visit, thread: Thread, comment: ApiComment): Html {
  const at = `${thread.place.path}/issues/${thread.issue.number}/comments/${comment.id}`;
  return commentCard(thread.place, {
    key: `comment-${comment.id}`,
    anchor: `issuecomment-${comment.id}`,
    login: comment.user?.login ?? null,
    association: comment.author_association,
    app: comment.performed_via_github_app?.name ?? null,
    at: comment.created_at,
    verb: 'commented',
    body: comment.body ?? '',
    edit: thread.edits.get(String(comment.id)) ?? null,
    reactions: reactionBar(comment.reactions, `${at}/reactions`),
    changeAt: canEdit(visit, thread, comment.user?.login) ? at : null,
    after: null,
  });
}

/** GitHub's rule: the author's own text, or write access. The API checks it again. */
function canEdit(visit: Visit, thread: Thread, author: string | undefined): boolean {
  return thread.place.mayWrite || author === visit.speaker.login;
}

function pullEntries(thread: Thread): readonly Entry[] {
  const part = thread.pullPart;
  if (part === null) return [];
  const commits = part.commits.map((commit) => ({
    at: commit.commit.committer?.date ?? commit.commit.author?.date ?? part.pull.created_at,
    markup: eventLine(
      `commit-${commit.sha}`,
      'commit',
      html`${loginText(commit.author?.login ?? commit.commit.author?.name)} <a href="${thread.place.path}/commit/${commit.sha}">${showHiddenCharacters(commit.commit.message.split('\n')[0])}</a> <code class="sha">${commit.sha.slice(0, 7)}</code> ${commit.sha === part.pull.head.sha ? renderHeadMark(thread, part) : null}`,
    ),
  }));
  const reviews = part.reviews.map((review) => ({
    at: review.submitted_at ?? part.pull.created_at,
    markup: reviewEntry(thread, review),
  }));
  return [...commits, ...reviews];
}

/** The combined state of the newest commit's checks, as the symbol that GitHub shows next to it. */
function renderHeadMark(thread: Thread, { checks }: PullPart): Html | null {
  if (checks.length === 0) return null;
  return html`<a href="${thread.place.path}/pull/${thread.issue.number}/checks">${statusMark(worstCheck(checks))}<span class="sr-only">: checks</span></a>`;
}

const verdicts: Readonly<Record<string, { readonly icon: IconName; readonly tone: string; readonly verb: string }>> = {
  APPROVED: { icon: 'check', tone: 'good', verb: 'approved these changes' },
  CHANGES_REQUESTED: { icon: 'cross', tone: 'bad', verb: 'requested changes' },
  COMMENTED: { icon: 'eye', tone: 'muted', verb: 'reviewed' },
  DISMISSED: { icon: 'dash', tone: 'muted', verb: 'reviewed (dismissed)' },
  PENDING: { icon: 'eye', tone: 'muted', verb: 'started a review' },
};

function reviewEntry(thread: Thread, review: ApiReview): Html {
  const verdict = verdicts[review.state] ?? { icon: 'eye' as const, tone: 'muted', verb: 'reviewed' };
  const notes = thread.pullPart?.reviewComments.filter((note) => note.pull_request_review_id === review.id) ?? [];
  const line = html`${avatar(review.user?.login ?? null)} ${loginText(review.user?.login)} ${verdict.verb} <span class="muted">${renderMoment(review.submitted_at)}</span>`;
  if ((review.body ?? '').trim() === '' && notes.length === 0) {
    return eventLine(`review-${review.id}`, verdict.icon, line, verdict.tone);
  }
  return commentCard(thread.place, {
    key: `review-${review.id}`,
    anchor: `pullrequestreview-${review.id}`,
    login: review.user?.login ?? null,
    association: review.author_association,
    app: review.performed_via_github_app?.name ?? null,
    at: review.submitted_at ?? null,
    verb: verdict.verb,
    body: review.body ?? '',
    edit: thread.edits.get(String(review.id)) ?? null,
    reactions: null,
    changeAt: null,
    after:
      notes.length === 0
        ? null
        : html`<div class="review-notes">${notes.map((note) => reviewNote(thread, note))}</div>`,
  });
}

function reviewNote(thread: Thread, note: ApiReviewComment): Html {
  const line = note.line ?? note.original_line;
  return html`<section class="review-note"><p class="note-place"><code>${showHiddenCharacters(note.path)}${line === null || line === undefined ? null : `:${line}`}</code></p>
    ${renderMarkdown(note.body ?? '', { repoPath: thread.place.path })}</section>`;
}

function endEntries({ issue, pullPart }: Thread): readonly Entry[] {
  const merged = pullPart?.pull.merged_at;
  if (merged !== null && merged !== undefined) {
    const by = pullPart?.pull.merged_by?.login;
    return [
      {
        at: merged,
        markup: eventLine(
          'end',
          'merged',
          html`${loginText(by)} merged this into <code>${pullPart?.pull.base.ref}</code> <span class="muted">${renderMoment(merged)}</span>`,
          'done',
        ),
      },
    ];
  }
  if (issue.state !== 'closed' || issue.closed_at === null || issue.closed_at === undefined) return [];
  const by = issue.closed_by === null || issue.closed_by === undefined ? 'This was' : loginText(issue.closed_by.login);
  return [
    {
      at: issue.closed_at,
      markup: eventLine(
        'end',
        'closed',
        html`${by} closed <span class="muted">${renderMoment(issue.closed_at)}</span>`,
        pullPart === null ? 'done' : 'closed',
      ),
    },
  ];
}

function eventLine(key: string, mark: IconName, content: Html, tone = 'muted'): Html {
  return html`<div class="event" data-key="${key}"><span class="event-mark tone-${tone}">${icon(mark)}</span><div class="event-text">${content}</div></div>`;
}
