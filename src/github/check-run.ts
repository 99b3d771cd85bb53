/** Writes ferrybot's check runs, one per commit and name, and reads the checks of a head. */

import { z } from 'zod';
import type { Annotation, Effect, EffectOutcome } from '../domain/effect.ts';
import type { CheckFacts } from '../domain/facts.ts';
import { cutText, known, type Observed, unknown } from '../domain/values.ts';
import { call, type GitHubClient, PAGE_ROWS, readPages, readRoute } from './call.ts';
import { commentIdOutcome } from './comments.ts';

/** GitHub's limit per request (REST, checks). The summary lists the others. */
const ANNOTATIONS_MAX = 50;

/** Maximum pages of existing annotations to read. */
const ANNOTATION_PAGES_MAX = 10;

type SentAnnotation = ReturnType<typeof toSentAnnotation>;

const standing = z.object({
  path: z.string(),
  start_line: z.number().int(),
  annotation_level: z.string(),
  title: z.string().nullish(),
  message: z.string(),
});

/**
 * The annotations that the check run `id` lacks, because GitHub appends the annotations of an update. `id` null: a new check run.
 * Unknown if the existing annotations cannot be read.
 */
async function listMissingAnnotations(
  client: GitHubClient,
  id: number | null,
  all: readonly Annotation[],
): Promise<Observed<readonly SentAnnotation[]>> {
  const wanted = all.slice(0, ANNOTATIONS_MAX).map(toSentAnnotation);
  if (id === null || wanted.length === 0) return known(wanted);
  const route = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations';
  const existing = await readPages(client, route, standing, { check_run_id: id, pagesMax: ANNOTATION_PAGES_MAX });
  if (existing.kind === 'unknown') return existing;
  if (!existing.value.isWhole) return unknown(`more than ${ANNOTATION_PAGES_MAX * PAGE_ROWS} annotations stand there`);
  const there = new Set(existing.value.rows.map(annotationKey));
  return known(wanted.filter((one) => !there.has(annotationKey(one))));
}

function annotationKey({ path, start_line, annotation_level, title, message }: z.infer<typeof standing>): string {
  return JSON.stringify([path, start_line, annotation_level, title ?? '', message]);
}

function toSentAnnotation({ path, line, level, title, message }: Annotation) {
  return { path, start_line: line, end_line: line, annotation_level: level, title, message };
}

export const CHECK_NAME = 'ferrybot / launch gate';

/** ferrybot's check runs; launches never depend on them. */
const CHECK_NAMES = { 'launch-gate': CHECK_NAME, config: 'ferrybot / config', infra: 'ferrybot / infra' } as const;

const listed = z.object({ check_runs: z.array(z.object({ id: z.number().int(), external_id: z.string().nullish() })) });
/** GitHub's limit of a summary (docs.github.com/rest/checks/runs). */
const TITLE_MAX = 250;
const SUMMARY_MAX = 65_535;

/** Creates or updates the check run. GitHub lists only the App's own runs. */
export async function putCheckRun(client: GitHubClient, effect: CheckEffect): Promise<EffectOutcome> {
  const found = effect.existing === null ? await findCheckRun(client, effect) : known(effect.existing);
  if (found.kind === 'unknown') return { kind: 'unknown', message: found.why };
  if (found.value !== null) {
    const updated = await writeCheckRun(client, effect, found.value);
    // Only the creating App may change a check run, so another App creates a new one.
    if (updated.kind !== 'refused' || updated.code !== '403' || effect.ownAppOnly === true) return updated;
  }
  if (effect.ownAppOnly === true)
    return { kind: 'refused', code: 'none-of-ours', message: 'there is no such check run' };
  return writeCheckRun(client, effect, null);
}

async function writeCheckRun(client: GitHubClient, effect: CheckEffect, id: number | null): Promise<EffectOutcome> {
  const annotations = await listMissingAnnotations(client, id, effect.annotations);
  if (annotations.kind === 'unknown') return { kind: 'unknown', message: annotations.why };
  const fields = checkRunFields(effect, annotations.value);
  return commentIdOutcome(
    id === null
      ? await call(client, 'POST /repos/{owner}/{repo}/check-runs', { head_sha: effect.head, ...fields })
      : await call(client, 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', { check_run_id: id, ...fields }),
  );
}

function checkRunFields(effect: CheckEffect, annotations: readonly SentAnnotation[]): Record<string, unknown> {
  const state =
    effect.conclusion === null ? { status: 'in_progress' } : { status: 'completed', conclusion: effect.conclusion };
  const output = {
    title: cutText(effect.title, TITLE_MAX),
    summary: cutText(effect.summary, SUMMARY_MAX),
    annotations,
  };
  return { name: CHECK_NAMES[effect.check ?? 'launch-gate'], external_id: effect.externalId, ...state, output };
}

type CheckEffect = Extract<Effect, { kind: 'put-check-run' }>;

/** The id of the check run; null if there is none. */
async function findCheckRun(client: GitHubClient, effect: CheckEffect): Promise<Observed<number | null>> {
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
  const check_name = CHECK_NAMES[effect.check ?? 'launch-gate'];
  const all = await readRoute(client, route, listed, { ref: effect.head, check_name, filter: 'all' });
  if (all.kind === 'unknown') return all;
  return known(all.value.check_runs.find((r) => r.external_id === effect.externalId)?.id ?? null);
}

const OWN_NAMES: readonly string[] = Object.values(CHECK_NAMES);

/** Page sizes. A head with more suites or runs is unknown. */
const SUITES_MAX = 50;
const RUNS_MAX = 50;

/**
 * Part of Commit (docs.github.com/graphql, CheckSuite, CheckRun, StatusContext). `LATEST`: only the newest run of a check counts, as on
 * GitHub's page.
 */
export const COMMIT_CHECKS_PART = `checkSuites(first: ${SUITES_MAX}) { totalCount nodes { status conclusion app { slug } workflowRun { event file { path } workflow { name } }
    checkRuns(first: ${RUNS_MAX}, filterBy: { checkType: LATEST }) { totalCount nodes { databaseId name status conclusion } } } }
  status { contexts { context state } }`;

export const CHECKS_PART = `commits(last: 1) { nodes { commit { oid ${COMMIT_CHECKS_PART} } } }`;

const runSchema = z.object({
  databaseId: z.number().int().nullish(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullable(),
});
const suiteSchema = z.object({
  status: z.string(),
  conclusion: z.string().nullable(),
  app: z.object({ slug: z.string() }).nullable(),
  workflowRun: z
    .object({
      event: z.string(),
      file: z.object({ path: z.string() }).nullable(),
      workflow: z.object({ name: z.string() }),
    })
    .nullable(),
  checkRuns: z.object({ totalCount: z.number().int(), nodes: z.array(runSchema) }).nullable(),
});
export const commitChecksSchema = z.object({
  oid: z.string(),
  checkSuites: z.object({ totalCount: z.number().int(), nodes: z.array(suiteSchema) }).nullable(),
  status: z.object({ contexts: z.array(z.object({ context: z.string(), state: z.string() })) }).nullable(),
});

/** Null if the token may not read checks. */
export const checksSchema = z
  .object({ nodes: z.array(z.object({ commit: commitChecksSchema })) })
  .nullable()
  .optional();

/** ferrybot's logins and workflow files. */
type OwnNames = { readonly ownBots: readonly string[]; readonly ownWorkflows: readonly string[] };
type Suite = z.infer<typeof suiteSchema>;
type Run = z.infer<typeof runSchema>;

/**
 * `all`: more suites than are read make the result unknown. `oldest`: for the head of an issue-first branch, which gets a new suite
 * per scheduled or comment-triggered run. The push's own suites come first, and a rerun check keeps its position.
 */
type Suites = 'all' | 'oldest';

/** The newest check of each name on the head; unknown if incomplete. */
export function readCheckFacts(
  answer: z.infer<typeof checksSchema>,
  head: string,
  own: OwnNames,
  counting: Suites = 'all',
): Observed<readonly CheckFacts[]> {
  const commit = answer?.nodes[0]?.commit;
  if (commit === undefined) return unknown('GitHub does not tell the checks of the head');
  if (commit.oid !== head) return unknown('the checks of the newest head are not there yet');
  const suites = commit.checkSuites;
  if (suites === null) return unknown('the checks of the head may not be read');
  const cut = suites.nodes.some((suite) => (suite.checkRuns?.totalCount ?? 0) > RUNS_MAX);
  if (cut || (counting === 'all' && suites.totalCount > SUITES_MAX))
    return unknown('the head has more checks than are read');
  const contexts = commit.status?.contexts ?? [];
  return known([
    ...newestPerName(suites.nodes.flatMap((suite) => suiteChecks(suite, own))),
    ...contexts.map(({ context, state }) => commitStatusFacts(context, state)),
  ]);
}

type Dated = { readonly id: number; readonly key: string; readonly check: CheckFacts };

/** A workflow that ran twice for one event has two suites; the later run of each job counts. */
function newestPerName(checks: readonly Dated[]): readonly CheckFacts[] {
  const byKey = new Map<string, Dated>();
  for (const one of checks) {
    const other = byKey.get(one.key);
    if (other === undefined || other.id <= one.id) byKey.set(one.key, one);
  }
  return [...byKey.values()].map(({ check }) => check);
}

/** A suite without runs belongs to an App that did nothing, unless it is a workflow waiting for approval. */
function suiteChecks(suite: Suite, own: OwnNames): readonly Dated[] {
  const app = suite.app?.slug ?? '';
  const workflow = suite.workflowRun?.workflow.name ?? null;
  const runs = suite.checkRuns?.nodes ?? [];
  const file = suite.workflowRun?.file?.path.split('/').at(-1) ?? '';
  const isOwnFile = own.ownWorkflows.includes(file);
  const suiteAsOneCheck = (state: CheckFacts['state']): readonly Dated[] => [
    {
      id: 0,
      key: `${state} ${app} ${workflow ?? ''}`,
      check: { name: workflow ?? '', workflow, state, says: statusSymbol(suite), isOwn: isOwnFile },
    },
  ];
  if (workflow !== null && isSuiteWaiting(suite)) return suiteAsOneCheck('awaits-approval');
  if (workflow !== null && runs.length === 0 && suite.status !== 'COMPLETED') return suiteAsOneCheck('running');
  const isPut = (run: Run): boolean => OWN_NAMES.includes(run.name) && own.ownBots.includes(app);
  return runs.map((run) => ({
    id: run.databaseId ?? 0,
    key: `${app} ${workflow ?? ''} ${suite.workflowRun?.event ?? ''} ${run.name}`,
    check: {
      name: run.name,
      workflow,
      state: runState(run),
      says: statusSymbol(run),
      isOwn: isOwnFile || isPut(run),
      ...(isPut(run) && run.name === CHECK_NAME && run.databaseId != null ? { id: run.databaseId } : {}),
    },
  }));
}

/** A workflow run of a fork or bot before its approval (GitHub docs, approving workflow runs). */
function isSuiteWaiting({ status, conclusion, checkRuns }: Suite): boolean {
  const hasJobs = (checkRuns?.nodes.length ?? 0) > 0;
  return !hasJobs && (conclusion === 'ACTION_REQUIRED' || status === 'WAITING');
}

/** Neutral and skipped count as passed, as for GitHub's required checks. */
function runState({ status, conclusion }: Run): CheckFacts['state'] {
  if (status !== 'COMPLETED') return 'running';
  return conclusion === 'SUCCESS' || conclusion === 'NEUTRAL' || conclusion === 'SKIPPED' ? 'green' : 'failed';
}

function commitStatusFacts(context: string, state: string): CheckFacts {
  const says = state.toLowerCase();
  const isRunning = state === 'PENDING' || state === 'EXPECTED';
  const found = state === 'SUCCESS' ? 'green' : isRunning ? 'running' : 'failed';
  return { name: context, workflow: null, state: found, says, isOwn: false };
}

function statusSymbol({ status, conclusion }: { readonly status: string; readonly conclusion: string | null }): string {
  return (conclusion ?? status).toLowerCase().replaceAll('_', ' ');
}
