/** Routes of check runs (docs.github.com/rest/checks/runs), with annotations and buttons. */

import * as z from 'zod';
import type { CheckAnnotation, CheckRun, CheckSuite } from '../../actions/state-actions.ts';
import { answerPage, answerPageIn } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  invalidAnswer,
  notFoundAnswer,
  okAnswer,
  unprocessableAnswer,
} from '../../api/reply.ts';
import {
  type ActorCall,
  actRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { github } from '../../limits/limits.ts';
import { emitChange } from '../../world/emit.ts';
import { actionsApp } from '../../world/lookup.ts';
import { nextId } from '../../world/world.ts';
import { shapeAnnotation, shapeCheckRun } from '../shape-check.ts';

const read = repoAccess('checks:read', 'public');
/** Only Apps (including the Actions App) may write checks; no person's role is enough. */
const write = repoAccess('checks:write', 'admin');
/** The button on the page, for everyone with write access. */
const again = repoAccess('checks:write', 'write');

const annotation = z.object({
  path: z.string(),
  start_line: z.int().positive(),
  end_line: z.int().positive(),
  start_column: z.int().positive().optional(),
  end_column: z.int().positive().optional(),
  annotation_level: z.enum(['notice', 'warning', 'failure']),
  message: z.string().max(65_536),
  title: z.string().max(255).optional(),
  raw_details: z.string().max(65_536).optional(),
});
const fitting = annotation
  .refine((one) => one.end_line >= one.start_line, { path: ['end_line'], error: 'end_line precedes start_line' })
  // docs.github.com/rest/checks: columns are allowed only where start_line and end_line are equal.
  .refine((one) => one.start_line === one.end_line || one.start_column === undefined, {
    path: ['start_column'],
    error: 'start_column is for annotations of one line',
  });
const output = z.object({
  title: z.string().optional(),
  summary: z.string().max(65_535).optional(),
  text: z.string().max(65_535).optional(),
  annotations: z.array(fitting).max(github.annotationsPerRequest).default([]),
});
const button = z.object({
  label: z.string().max(github.checkActionLabelCharacters),
  description: z.string().max(github.checkActionDescriptionCharacters),
  identifier: z.string().max(github.checkActionIdentifierCharacters),
});
const changes = z.object({
  name: z.string().min(1).optional(),
  details_url: z.string().optional(),
  external_id: z.string().optional(),
  status: z.enum(['queued', 'in_progress', 'completed']).optional(),
  conclusion: z
    .enum(['success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required'])
    .optional(),
  started_at: z.iso.datetime({ offset: true }).optional(),
  completed_at: z.iso.datetime({ offset: true }).optional(),
  output: output.optional(),
  actions: z.array(button).max(github.checkActionsPerRun).optional(),
});
const creation = changes.extend({ name: z.string().min(1), head_sha: z.string() });
type Changes = z.infer<typeof changes>;

export const checkRoutes: readonly Route[] = [
  writeRoute('POST', '/check-runs', write, creation, createCheckRun),
  writeRoute('PATCH', '/check-runs/:id', write, changes, updateCheckRun),
  readRoute('/check-runs/:id', read, (call) => {
    const run = findCheckRun(call);
    return run === null ? notFoundAnswer() : okAnswer(shapeCheckRun(call.world, run));
  }),
  readRoute('/check-runs/:id/annotations', read, (call) => {
    const run = findCheckRun(call);
    return run === null
      ? notFoundAnswer()
      : answerPage(call, run.annotations, (one) => shapeAnnotation(call.world, run, one));
  }),
  actRoute('POST', '/check-runs/:id/rerequest', again, async (call) => {
    const run = findCheckRun(call);
    if (run === null) return notFoundAnswer();
    if (run.appId === actionsApp.appId) return unprocessableAnswer('This check run is not rerequestable');
    await emitCheckRun(call, run, 'rerequested');
    return createdAnswer({});
  }),
  readRoute('/commits/:ref/check-runs', read, listCheckRuns),
];

function findCheckRun(call: RepoCall): CheckRun | null {
  const run = call.world.state.checkRuns[call.params['id'] ?? ''];
  return run?.repoId === call.repo.id ? run : null;
}

async function createCheckRun(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  if (call.caller.kind !== 'installation' && call.caller.kind !== 'workflow') return refuseUnlessApp();
  const commit = await call.world.gitOf(call.repo).readCommit(body.head_sha);
  if (commit === null) {
    const message = `No commit found for SHA: ${body.head_sha}`;
    return invalidAnswer([{ resource: 'CheckRun', field: 'head_sha', code: 'custom', message }]);
  }
  const now = call.world.clock.now();
  const blank: CheckRun = {
    id: nextId(call.world, 'checkRuns'),
    repoId: call.repo.id,
    suiteId: findOrCreateSuite(call, call.caller.appId, body.head_sha).id,
    appId: call.caller.appId,
    name: body.name,
    headSha: body.head_sha,
    status: 'queued',
    conclusion: null,
    externalId: '',
    detailsUrl: null,
    startedAtMs: now,
    completedAtMs: null,
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
  };
  const run = applyChanges(blank, body, now);
  const problem = findProblem(run);
  if (problem !== null) return problem;
  call.world.state.checkRuns[run.id] = run;
  await emitCheckRun(call, run, 'created');
  if (run.status === 'completed') await emitCheckRun(call, run, 'completed');
  return createdAnswer(shapeCheckRun(call.world, run));
}

async function updateCheckRun(call: ActorCall, body: Changes): Promise<Answer> {
  if (call.caller.kind !== 'installation' && call.caller.kind !== 'workflow') return refuseUnlessApp();
  const before = findCheckRun(call);
  if (before === null) return notFoundAnswer();
  if (before.appId !== call.caller.appId) {
    return failedAnswer(
      403,
      `Invalid app_id \`${call.caller.appId}\` - check run can only be modified by the GitHub App that created it.`,
    );
  }
  const run = applyChanges(before, body, call.world.clock.now());
  const problem = findProblem(run);
  if (problem !== null) return problem;
  call.world.state.checkRuns[run.id] = run;
  if (before.status !== 'completed' && run.status === 'completed') await emitCheckRun(call, run, 'completed');
  return okAnswer(shapeCheckRun(call.world, run));
}

/** New annotations are appended to the existing ones. Setting a conclusion completes the run. */
function applyChanges(run: CheckRun, body: Changes, now: number): CheckRun {
  const status = body.conclusion === undefined ? (body.status ?? run.status) : 'completed';
  const at = (text: string | undefined, fallback: number | null): number | null =>
    text === undefined ? fallback : Date.parse(text);
  const completed = status === 'completed';
  return {
    ...run,
    name: body.name ?? run.name,
    detailsUrl: body.details_url ?? run.detailsUrl,
    externalId: body.external_id ?? run.externalId,
    status,
    conclusion: completed ? (body.conclusion ?? run.conclusion) : null,
    startedAtMs: at(body.started_at, run.startedAtMs) ?? run.startedAtMs,
    completedAtMs: completed ? at(body.completed_at, run.completedAtMs ?? now) : null,
    output: {
      title: body.output?.title ?? run.output.title,
      summary: body.output?.summary ?? run.output.summary,
      text: body.output?.text ?? run.output.text,
    },
    annotations: [...run.annotations, ...(body.output?.annotations ?? []).map(toAnnotation)],
    actions: body.actions ?? run.actions,
  };
}

function toAnnotation(one: z.infer<typeof annotation>): CheckAnnotation {
  return {
    path: one.path,
    startLine: one.start_line,
    endLine: one.end_line,
    startColumn: one.start_column ?? null,
    endColumn: one.end_column ?? null,
    level: one.annotation_level,
    message: one.message,
    title: one.title ?? null,
    rawDetails: one.raw_details ?? null,
  };
}

function findProblem(run: CheckRun): Answer | null {
  if (run.status === 'completed' && run.conclusion === null) {
    return invalidAnswer([{ resource: 'CheckRun', field: 'conclusion', code: 'missing_field' }]);
  }
  const half = (run.output.title === null) !== (run.output.summary === null);
  return half ? invalidAnswer([{ resource: 'CheckRun', field: 'output', code: 'missing_field' }]) : null;
}

function refuseUnlessApp(): Answer {
  return failedAnswer(403, 'You must authenticate via a GitHub App.');
}

/** The App's suite of a commit, created with its first check run. */
function findOrCreateSuite(call: ActorCall, appId: number, headSha: string): CheckSuite {
  const { checkSuites } = call.world.state;
  const known = Object.values(checkSuites).find(
    (one) => one.repoId === call.repo.id && one.appId === appId && one.headSha === headSha,
  );
  if (known !== undefined) return known;
  const now = call.world.clock.now();
  // GitHub does not report the name of a fork's branch (docs.github.com/webhooks: check_suite).
  const pull = Object.values(call.world.state.issues).find(
    (one) => one.repoId === call.repo.id && one.pull?.headSha === headSha,
  )?.pull;
  const suite: CheckSuite = {
    id: nextId(call.world, 'checkSuites'),
    repoId: call.repo.id,
    appId,
    headSha,
    headBranch: pull?.headRepoId === call.repo.id ? pull.headRef : null,
    createdAtMs: now,
    updatedAtMs: now,
  };
  checkSuites[suite.id] = suite;
  return suite;
}

async function listCheckRuns(call: RepoCall): Promise<Answer> {
  const sha = await resolveCommit(call.world.gitOf(call.repo), call.repo, call.params['ref'] ?? '');
  if (sha === null) return failedAnswer(422, `No commit found for SHA: ${call.params['ref'] ?? ''}`);
  const name = call.query.get('check_name');
  const status = call.query.get('status');
  const appId = call.query.get('app_id');
  const rows = Object.values(call.world.state.checkRuns).filter(
    (run) =>
      run.repoId === call.repo.id &&
      run.headSha === sha &&
      (name === null || run.name === name) &&
      (status === null || run.status === status) &&
      (appId === null || `${run.appId}` === appId),
  );
  return answerPageIn(call, 'check_runs', keepLatest(call, rows), (run) => shapeCheckRun(call.world, run));
}

/** `filter=latest`, the default: the newest run per suite and name. */
function keepLatest(call: RepoCall, rows: readonly CheckRun[]): readonly CheckRun[] {
  if (call.query.get('filter') === 'all') return rows;
  const newest = new Map<string, CheckRun>();
  for (const run of rows) newest.set(`${run.suiteId}/${run.name}`, run);
  return [...newest.values()];
}

async function emitCheckRun(call: ActorCall, run: CheckRun, action: string): Promise<void> {
  await emitChange(call.world, {
    type: 'check_run',
    action,
    repo: call.repo,
    sender: call.actor,
    byTokenKind: call.caller.kind,
    payload: { check_run: shapeCheckRun(call.world, run) },
  });
}
