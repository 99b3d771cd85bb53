/** Schemas for issues, pull requests, comments and reviews. */
import * as z from 'zod';
import { labelShape, userShape } from './repo-shapes.ts';

const reactionsShape = z.record(z.string(), z.union([z.number(), z.string()]));
export type ApiReactions = z.output<typeof reactionsShape>;

const appShape = z.object({ slug: z.string().nullish(), name: z.string() });

/** Common fields of an issue, a comment and a review: author, text and time. */
const spoken = {
  body: z.string().nullish(),
  user: userShape.nullish(),
  author_association: z.string().default('NONE'),
  performed_via_github_app: appShape.nullish(),
  reactions: reactionsShape.nullish(),
};

export const issueShape = z.object({
  ...spoken,
  number: z.number(),
  title: z.string(),
  state: z.string(),
  state_reason: z.string().nullish(),
  locked: z.boolean().default(false),
  labels: z.array(labelShape).default([]),
  comments: z.number().default(0),
  created_at: z.string(),
  updated_at: z.string(),
  closed_at: z.string().nullish(),
  closed_by: userShape.nullish(),
  draft: z.boolean().nullish(),
  pull_request: z.object({ merged_at: z.string().nullish() }).nullish(),
});
export type ApiIssue = z.output<typeof issueShape>;

export const commentShape = z.object({ ...spoken, id: z.number(), created_at: z.string(), updated_at: z.string() });
export type ApiComment = z.output<typeof commentShape>;

const pullEnd = z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() });

export const pullShape = z.object({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  draft: z.boolean().nullish(),
  merged: z.boolean().nullish(),
  merged_at: z.string().nullish(),
  merged_by: userShape.nullish(),
  mergeable: z.boolean().nullish(),
  merge_commit_sha: z.string().nullish(),
  user: userShape.nullish(),
  head: pullEnd,
  base: pullEnd,
  created_at: z.string(),
  closed_at: z.string().nullish(),
  labels: z.array(labelShape).default([]),
  commits: z.number().nullish(),
  additions: z.number().nullish(),
  deletions: z.number().nullish(),
  changed_files: z.number().nullish(),
});
export type ApiPull = z.output<typeof pullShape>;

export const reviewShape = z.object({
  ...spoken,
  id: z.number(),
  state: z.string(),
  submitted_at: z.string().nullish(),
  commit_id: z.string().nullish(),
});
export type ApiReview = z.output<typeof reviewShape>;

export const reviewCommentShape = z.object({
  ...spoken,
  id: z.number(),
  pull_request_review_id: z.number().nullish(),
  path: z.string(),
  line: z.number().nullish(),
  original_line: z.number().nullish(),
  side: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type ApiReviewComment = z.output<typeof reviewCommentShape>;
