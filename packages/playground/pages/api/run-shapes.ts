/** Schemas for check runs, workflow runs and jobs. */
import * as z from 'zod';
import { userShape } from './repo-shapes.ts';

export const checkRunShape = z.object({
  id: z.number(),
  name: z.string(),
  head_sha: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  started_at: z.string().nullish(),
  completed_at: z.string().nullish(),
  html_url: z.string().nullish(),
  details_url: z.string().nullish(),
  output: z
    .object({
      title: z.string().nullish(),
      summary: z.string().nullish(),
      text: z.string().nullish(),
      annotations_count: z.number().default(0),
    })
    .nullish(),
  app: z.object({ slug: z.string().nullish(), name: z.string() }).nullish(),
});
export type ApiCheckRun = z.output<typeof checkRunShape>;

export const annotationShape = z.object({
  path: z.string(),
  start_line: z.number(),
  end_line: z.number(),
  annotation_level: z.string().nullish(),
  title: z.string().nullish(),
  message: z.string().nullish(),
  raw_details: z.string().nullish(),
});
export type ApiAnnotation = z.output<typeof annotationShape>;

export const workflowShape = z.object({ id: z.number(), name: z.string(), path: z.string(), state: z.string() });

export const runShape = z.object({
  id: z.number(),
  name: z.string().nullish(),
  display_title: z.string().nullish(),
  event: z.string(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  head_branch: z.string().nullish(),
  head_sha: z.string(),
  run_number: z.number(),
  run_attempt: z.number().nullish(),
  workflow_id: z.number().nullish(),
  path: z.string().nullish(),
  actor: userShape.nullish(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type ApiRun = z.output<typeof runShape>;

const stepShape = z.object({
  name: z.string(),
  number: z.number(),
  status: z.string(),
  conclusion: z.string().nullish(),
  started_at: z.string().nullish(),
  completed_at: z.string().nullish(),
});

export const jobShape = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  started_at: z.string().nullish(),
  completed_at: z.string().nullish(),
  runner_name: z.string().nullish(),
  run_attempt: z.number().nullish(),
  check_run_url: z.string().nullish(),
  steps: z.array(stepShape).nullish(),
});
export type ApiJob = z.output<typeof jobShape>;
