/** Finds issues and pull requests by search terms, in all repositories that the caller can read. */

import { judgeAccess } from '../identity/permissions.ts';
import type { Caller, User } from '../identity/state-people.ts';
import { findMilestoneOfIssue } from '../threads/shape-milestone.ts';
import type { Issue } from '../threads/state-threads.ts';
import { asPull, findUser, listComments, listIssuesOf, listReviewsOf } from '../world/lookup.ts';
import type { Repo } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { inRange, type Term } from './query.ts';

export type Asker = { readonly world: World; readonly caller: Caller; readonly actor: User | null };

/**
 * Newest first, unless `sort:` is given. GitHub's own default, the best match, has no definition that could be served.
 */
export function findThreads(asker: Asker, terms: readonly Term[]): readonly Issue[] {
  const { world, caller } = asker;
  const readable = Object.values(world.state.repos).filter((repo) => {
    const access = { permissions: ['issues:read', 'pull_requests:read'], role: 'public' } as const;
    return judgeAccess(world, caller, repo, access) === 'allowed';
  });
  const wanted = terms.filter(({ key }) => key !== 'sort' && key !== 'in');
  const places = terms.find(({ key }) => key === 'in')?.value.split(',') ?? ['title', 'body', 'comments'];
  const found = readable.flatMap((repo) => {
    return listIssuesOf(world, repo).filter((issue) =>
      wanted.every((term) => matchesTerm(asker, repo, issue, term, places, terms) !== term.isNegated),
    );
  });
  return found.toSorted(sortOrder(terms.find(({ key }) => key === 'sort')?.value ?? 'created-desc'));
}

/** The order for `created-asc`, `updated`, `comments-desc` and similar values. */
export function sortOrder(sort: string): (a: Issue, b: Issue) => number {
  const [field, direction] = sort.split('-');
  const sign = direction === 'asc' ? 1 : -1;
  const at = (issue: Issue): number => {
    if (field === 'comments') return issue.commentIds.length;
    return field === 'updated' ? issue.updatedAtMs : issue.createdAtMs;
  };
  return (a, b) => sign * (at(a) - at(b) || a.number - b.number);
}

function matchesTerm(
  asker: Asker,
  repo: Repo,
  issue: Issue,
  { key, value }: Term,
  places: readonly string[],
  terms: readonly Term[],
): boolean {
  const { world } = asker;
  const pull = asPull(issue);
  const person = (login: string): number =>
    (login === '@me' ? asker.actor?.id : findUser(world, login.replace(/^@/, ''))?.id) ?? -1;
  switch (key) {
    case 'repo':
      // Several repository terms are alternatives.
      return terms.some(
        (one) => one.key === 'repo' && one.value.toLowerCase() === `${repo.owner}/${repo.name}`.toLowerCase(),
      );
    case 'org':
    case 'user':
      return repo.owner.toLowerCase() === value.toLowerCase();
    case 'is':
    case 'type':
    case 'state':
      return matchesIs(repo, issue, value);
    case 'draft':
      return pull !== null && `${pull.pull.draft}` === value;
    case 'author':
      return issue.authorId === person(value);
    case 'assignee':
      return value === '*' ? issue.assigneeIds.length > 0 : issue.assigneeIds.includes(person(value));
    case 'commenter':
      return listComments(world, issue).some(({ authorId }) => authorId === person(value));
    case 'mentions':
      return listTexts(world, issue).some((text) => text.toLowerCase().includes(`@${resolveLogin(asker, value)}`));
    case 'involves':
      return ['author', 'assignee', 'commenter', 'mentions'].some((one) =>
        matchesTerm(asker, repo, issue, { key: one, value, isNegated: false }, places, terms),
      );
    case 'review-requested':
      return pull?.pull.requestedReviewerIds.includes(person(value)) ?? false;
    case 'reviewed-by':
      return pull !== null && listReviewsOf(world, pull).some(({ authorId }) => authorId === person(value));
    case 'label':
      return value.split(',').some((name) => issue.labels.some((one) => one.toLowerCase() === name.toLowerCase()));
    case 'milestone':
      return findMilestoneOfIssue(world, issue)?.title.toLowerCase() === value.toLowerCase();
    case 'no':
      return matchesNo(issue, value);
    case 'head':
      return pull?.pull.headRef.startsWith(value) ?? false;
    case 'base':
      return pull?.pull.baseRef.startsWith(value) ?? false;
    case 'sha':
      return (pull?.pull.headSha.startsWith(value) ?? false) || (pull?.pull.mergeCommitSha?.startsWith(value) ?? false);
    case 'number':
      return `${issue.number}` === value;
    case 'created':
      return inRange(issue.createdAtMs, value);
    case 'updated':
      return inRange(issue.updatedAtMs, value);
    case 'closed':
      return inRange(issue.closedAtMs, value);
    case 'merged':
      return inRange(pull?.pull.mergedAtMs ?? null, value);
    default:
      return listTextsIn(world, issue, places).some((text) => text.toLowerCase().includes(value.toLowerCase()));
  }
}

function matchesIs(repo: Repo, issue: Issue, word: string): boolean {
  switch (word.toLowerCase()) {
    case 'issue':
      return issue.pull === null;
    case 'pr':
    case 'pull-request':
      return issue.pull !== null;
    case 'open':
    case 'closed':
      return issue.state === word.toLowerCase();
    case 'merged':
      return (issue.pull?.mergedAtMs ?? null) !== null;
    case 'unmerged':
      return issue.pull !== null && issue.pull.mergedAtMs === null;
    case 'draft':
      return issue.pull?.draft ?? false;
    case 'locked':
      return issue.locked;
    case 'unlocked':
      return !issue.locked;
    case 'public':
      return !repo.private;
    case 'private':
      return repo.private;
    default:
      return false;
  }
}

function matchesNo(issue: Issue, what: string): boolean {
  switch (what) {
    case 'label':
      return issue.labels.length === 0;
    case 'assignee':
      return issue.assigneeIds.length === 0;
    case 'milestone':
      return issue.milestoneId === undefined;
    default:
      return false;
  }
}

function resolveLogin({ actor }: Asker, value: string): string {
  return (value === '@me' ? (actor?.login ?? '') : value.replace(/^@/, '')).toLowerCase();
}

function listTexts(world: World, issue: Issue): readonly string[] {
  return listTextsIn(world, issue, ['title', 'body', 'comments']);
}

function listTextsIn(world: World, issue: Issue, places: readonly string[]): readonly string[] {
  return [
    ...(places.includes('title') ? [issue.title] : []),
    ...(places.includes('body') ? [issue.body] : []),
    ...(places.includes('comments') ? listComments(world, issue).map(({ body }) => body) : []),
  ];
}
