/** Checks and statuses of a pull request's head, as part of the query for its threads. */

import { z } from 'zod';
import type { CheckFacts } from '../domain/facts.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { CHECK_NAME, CHECK_NAMES } from './check-run.ts';

const OWN_NAMES: readonly string[] = Object.values(CHECK_NAMES);

/** Page sizes; a head with more is unknown. */
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

/** Optional part of the answer: a token without access to checks can still read the threads. */
export const CHECKS_PLACE: readonly string[] = ['repository', 'pullRequest', 'commits'];

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
type Own = { readonly ownBots: readonly string[]; readonly ownWorkflows: readonly string[] };
type Suite = z.infer<typeof suiteSchema>;
type Run = z.infer<typeof runSchema>;

/**
 * `all`: more suites than are read make the result unknown. `oldest`: an issue-first branch head collects a new suite per scheduled or
 * comment-triggered run; the push's own suites come first, and a rerun check keeps its position.
 */
type Suites = 'all' | 'oldest';

/** The newest check of each name on the head; unknown if incomplete. */
export function checkFacts(
  answer: z.infer<typeof checksSchema>,
  head: string,
  own: Own,
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
    ...newest(suites.nodes.flatMap((suite) => factsOf(suite, own))),
    ...contexts.map(({ context, state }) => statusFacts(context, state)),
  ]);
}

type Dated = { readonly id: number; readonly key: string; readonly check: CheckFacts };

/** A workflow that ran twice for one event has two suites; the later run of each job counts. */
function newest(checks: readonly Dated[]): readonly CheckFacts[] {
  const byKey = new Map<string, Dated>();
  for (const one of checks) {
    const other = byKey.get(one.key);
    if (other === undefined || other.id <= one.id) byKey.set(one.key, one);
  }
  return [...byKey.values()].map(({ check }) => check);
}

/** A suite without runs belongs to an App that did nothing, unless it is a workflow waiting for approval. */
function factsOf(suite: Suite, own: Own): readonly Dated[] {
  const app = suite.app?.slug ?? '';
  const workflow = suite.workflowRun?.workflow.name ?? null;
  const runs = suite.checkRuns?.nodes ?? [];
  const file = suite.workflowRun?.file?.path.split('/').at(-1) ?? '';
  const isOwnFile = own.ownWorkflows.includes(file);
  const whole = (state: CheckFacts['state']): readonly Dated[] => [
    {
      id: 0,
      key: `${state} ${app} ${workflow ?? ''}`,
      check: { name: workflow ?? '', workflow, state, says: sign(suite), ours: isOwnFile },
    },
  ];
  if (workflow !== null && isWaiting(suite)) return whole('awaits-approval');
  if (workflow !== null && runs.length === 0 && suite.status !== 'COMPLETED') return whole('running');
  const isPut = (run: Run): boolean => OWN_NAMES.includes(run.name) && own.ownBots.includes(app);
  return runs.map((run) => ({
    id: run.databaseId ?? 0,
    key: `${app} ${workflow ?? ''} ${suite.workflowRun?.event ?? ''} ${run.name}`,
    check: {
      name: run.name,
      workflow,
      state: stateOf(run),
      says: sign(run),
      ours: isOwnFile || isPut(run),
      ...(isPut(run) && run.name === CHECK_NAME && run.databaseId != null ? { id: run.databaseId } : {}),
    },
  }));
}

/** A workflow run of a fork or bot before its approval (GitHub docs, approving workflow runs). */
function isWaiting({ status, conclusion, checkRuns }: Suite): boolean {
  const hasJobs = (checkRuns?.nodes.length ?? 0) > 0;
  return !hasJobs && (conclusion === 'ACTION_REQUIRED' || status === 'WAITING');
}

/** Neutral and skipped count as passed, as for GitHub's required checks. */
function stateOf({ status, conclusion }: Run): CheckFacts['state'] {
  if (status !== 'COMPLETED') return 'running';
  return conclusion === 'SUCCESS' || conclusion === 'NEUTRAL' || conclusion === 'SKIPPED'
    ? 'green'
    : 'failed';
}

function statusFacts(context: string, state: string): CheckFacts {
  const says = state.toLowerCase();
  const isRunning = state === 'PENDING' || state === 'EXPECTED';
  const found = state === 'SUCCESS' ? 'green' : isRunning ? 'running' : 'failed';
  return { name: context, workflow: null, state: found, says, ours: false };
}

function sign({
  status,
  conclusion,
}: {
  readonly status: string;
  readonly conclusion: string | null;
}): string {
  return (conclusion ?? status).toLowerCase().replaceAll('_', ' ');
}
