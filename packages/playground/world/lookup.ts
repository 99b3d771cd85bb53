/** Finds state rows by the names that people and URLs use. */

import type { App, Installation, User } from '../identity/state-people.ts';
import type { Comment, Issue, Label, Pull, Review, ReviewComment } from '../threads/state-threads.ts';
import { issueKey, type Repo } from './state.ts';
import type { World } from './world.ts';

/** The App that workflow tokens act for, with its ids on github.com. */
export const actionsApp = { appId: 15_368, userId: 41_898_282, slug: 'github-actions' } as const;

/** Logins and repository names are case-insensitive on GitHub. */
export function findRepo(world: World, owner: string, name: string): Repo | null {
  const wanted = `${owner}/${name}`.toLowerCase();
  for (const repo of Object.values(world.state.repos)) {
    if (`${repo.owner}/${repo.name}`.toLowerCase() === wanted) return repo;
  }
  return null;
}

export function findUser(world: World, login: string): User | null {
  const wanted = login.toLowerCase();
  for (const user of Object.values(world.state.users)) {
    if (user.login.toLowerCase() === wanted) return user;
  }
  return null;
}

export function findIssue(world: World, repo: Repo, number: number): Issue | null {
  return world.state.issues[issueKey(repo.id, number)] ?? null;
}

export type PullIssue = Issue & { readonly pull: Pull };

export function findPull(world: World, repo: Repo, number: number): PullIssue | null {
  const issue = findIssue(world, repo, number);
  return issue === null ? null : asPull(issue);
}

export function asPull(issue: Issue): PullIssue | null {
  return issue.pull === null ? null : { ...issue, pull: issue.pull };
}

export function listIssuesOf(world: World, repo: Repo): readonly Issue[] {
  const found: Issue[] = [];
  for (let number = 1; number <= repo.lastNumber; number += 1) {
    const issue = world.state.issues[issueKey(repo.id, number)];
    if (issue !== undefined) found.push(issue);
  }
  return found;
}

export function listComments(world: World, issue: Issue): readonly Comment[] {
  return pickRows(world.state.comments, issue.commentIds);
}

export function listReviewsOf(world: World, issue: PullIssue): readonly Review[] {
  return pickRows(world.state.reviews, issue.pull.reviewIds);
}

export function listReviewComments(world: World, issue: PullIssue): readonly ReviewComment[] {
  return pickRows(world.state.reviewComments, issue.pull.reviewCommentIds);
}

export function findLabel(repo: Repo, name: string): Label | null {
  const wanted = name.toLowerCase();
  return repo.labels.find((label) => label.name.toLowerCase() === wanted) ?? null;
}

/** Rows that other rows refer to must exist: a missing one is a bug of the playground. */
export function userById(world: World, id: number): User {
  return requireRow(world.state.users[id], `user ${id}`);
}

export function repoById(world: World, id: number): Repo {
  return requireRow(world.state.repos[id], `repository ${id}`);
}

export function appById(world: World, id: number): App {
  return requireRow(world.state.apps[id], `App ${id}`);
}

/** The App's installation that covers the repository, if there is one. */
export function installationFor(world: World, appId: number, repo: Repo): Installation | null {
  for (const installation of Object.values(world.state.installations)) {
    if (installation.appId === appId && coversRepo(installation, repo)) return installation;
  }
  return null;
}

export function coversRepo(installation: Installation, repo: Repo): boolean {
  if (installation.accountId !== repo.ownerId) return false;
  return installation.repoIds === null || installation.repoIds.includes(repo.id);
}

export function requireRow<Row>(row: Row | undefined | null, what: string): Row {
  if (row === undefined || row === null) throw new Error(`the state has no ${what}`);
  return row;
}

function pickRows<Row>(table: Readonly<Record<string, Row>>, ids: readonly number[]): readonly Row[] {
  const rows: Row[] = [];
  for (const id of ids) {
    const row = table[id];
    if (row !== undefined) rows.push(row);
  }
  return rows;
}
