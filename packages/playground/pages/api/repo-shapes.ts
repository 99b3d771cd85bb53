/**
 * Schemas for people, repositories, commits and files in GitHub's REST answers, with only the fields that are shown.
 */
import * as z from 'zod';

export const userShape = z.object({ login: z.string(), id: z.number(), type: z.string().default('User') });

export const repoShape = z.object({
  name: z.string(),
  full_name: z.string(),
  description: z.string().nullish(),
  default_branch: z.string(),
  private: z.boolean().default(false),
  open_issues_count: z.number().default(0),
  clone_url: z.string().nullish(),
  permissions: z.record(z.string(), z.boolean()).nullish(),
});
export type ApiRepo = z.output<typeof repoShape>;

export const labelShape = z.object({
  name: z.string(),
  color: z.string().default('ededed'),
  description: z.string().nullish(),
});
export type ApiLabel = z.output<typeof labelShape>;

export const branchShape = z.object({ name: z.string(), commit: z.object({ sha: z.string() }) });

export const commitShape = z.object({
  sha: z.string(),
  commit: z.object({
    message: z.string(),
    author: z.object({ name: z.string(), date: z.string() }).nullish(),
    committer: z.object({ name: z.string(), date: z.string() }).nullish(),
  }),
  author: userShape.nullish(),
  parents: z.array(z.object({ sha: z.string() })).default([]),
});
export type ApiCommit = z.output<typeof commitShape>;

export const fileShape = z.object({
  filename: z.string(),
  previous_filename: z.string().nullish(),
  status: z.string(),
  additions: z.number(),
  deletions: z.number(),
  patch: z.string().nullish(),
});
export type ApiFile = z.output<typeof fileShape>;

export const commitDetailShape = commitShape.extend({ files: z.array(fileShape).default([]) });

/** `GET /repos/{owner}/{repo}/contents/{path}` returns a list of these for a directory, and one of these for a file. */
const contentShape = z.object({
  type: z.string(),
  name: z.string(),
  path: z.string(),
  size: z.number().default(0),
  sha: z.string(),
});
export type ApiContent = z.output<typeof contentShape>;
export const contentsShape = z.union([z.array(contentShape), contentShape]);
