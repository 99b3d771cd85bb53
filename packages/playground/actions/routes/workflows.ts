/** Routes of workflows (docs.github.com/rest/actions/workflows) and of dispatches. */

import * as z from 'zod';
import { answerPageIn } from '../../api/paging.ts';
import {
  type Answer,
  failedAnswer,
  noContentAnswer,
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
import { peelToCommit } from '../../git/resolve-commit.ts';
import { repoApi, repoPage, shapeRepo } from '../../git/shape-repo.ts';
import { entryAt } from '../../git/store/git-trees.ts';
import { shapeUser } from '../../identity/shape-people.ts';
import { github } from '../../limits/limits.ts';
import { emitChange } from '../../world/emit.ts';
import { createRun } from '../queue/run-rows.ts';
import { shapeRun, shapeWorkflow } from '../shape-run.ts';
import type { Run, Workflow } from '../state-actions.ts';
import { checkDispatchInputs } from '../workflow/dispatch-inputs.ts';
import { parseWorkflow } from '../workflow/parse-workflow.ts';

const read = repoAccess('actions:read', 'public');
const write = repoAccess('actions:write', 'write');
const inputValue = z.union([z.string(), z.number(), z.boolean()]).transform((value) => `${value}`);
const dispatch = z.object({
  ref: z.string(),
  inputs: z.record(z.string(), inputValue).default({}),
  return_run_details: z.boolean().default(false),
});
const repositoryDispatch = z.object({
  event_type: z.string().min(1).max(100),
  client_payload: z.record(z.string(), z.json()).default({}),
});

export const workflowRoutes: readonly Route[] = [
  readRoute('/actions/workflows', read, (call) => {
    const rows = Object.values(call.world.state.workflows).filter(
      (row) => row.repoId === call.repo.id && row.state !== 'deleted',
    );
    return answerPageIn(call, 'workflows', rows, (row) => shapeWorkflow(call.world, row));
  }),
  readRoute('/actions/workflows/:workflow', read, (call) => {
    const row = findWorkflow(call);
    return row === null ? notFoundAnswer() : okAnswer(shapeWorkflow(call.world, row));
  }),
  readRoute('/actions/workflows/:workflow/runs', read, (call) => {
    const row = findWorkflow(call);
    if (row === null) return notFoundAnswer();
    return answerPageIn(call, 'workflow_runs', listRuns(call, row.id), (run) => shapeRun(call.world, run));
  }),
  writeRoute('POST', '/actions/workflows/:workflow/dispatches', write, dispatch, dispatchWorkflow),
  actRoute('PUT', '/actions/workflows/:workflow/enable', write, (call) => setState(call, 'active')),
  actRoute('PUT', '/actions/workflows/:workflow/disable', write, (call) => setState(call, 'disabled_manually')),
  writeRoute('POST', '/dispatches', repoAccess('contents:write', 'write'), repositoryDispatch, async (call, body) => {
    await emitChange(call.world, {
      type: 'repository_dispatch',
      action: body.event_type,
      repo: call.repo,
      sender: call.actor,
      byTokenKind: call.caller.kind,
      payload: { branch: call.repo.defaultBranch, client_payload: body.client_payload },
    });
    return noContentAnswer();
  }),
];

/** Finds a workflow by id or by file name, as on GitHub. */
function findWorkflow(call: RepoCall): Workflow | null {
  const wanted = call.params['workflow'] ?? '';
  const rows = Object.values(call.world.state.workflows).filter(
    (row) => row.repoId === call.repo.id && row.state !== 'deleted',
  );
  return rows.find((row) => `${row.id}` === wanted || row.path.split('/').at(-1) === wanted) ?? null;
}

/** Runs that match the query's filters, newest first. */
export function listRuns(call: RepoCall, workflowId: number | null): readonly Run[] {
  const { query } = call;
  const status = query.get('status');
  const same = (name: string, value: string | null): boolean => {
    const wanted = query.get(name);
    return wanted === null || wanted === value;
  };
  const logins = (run: Run): string | null => call.world.state.users[run.actorId]?.login ?? null;
  const rows = Object.values(call.world.state.runs).filter(
    (run) =>
      run.repoId === call.repo.id &&
      (workflowId === null || run.workflowId === workflowId) &&
      same('event', run.event) &&
      same('head_sha', run.headSha) &&
      same('branch', run.headBranch) &&
      same('actor', logins(run)) &&
      same('check_suite_id', `${run.checkSuiteId}`) &&
      (status === null || run.status === status || run.conclusion === status) &&
      createdWithin(run, query.get('created')),
  );
  return rows.toSorted((a, b) => b.id - a.id);
}

/** `>=2026-01-01T00:00:00Z`, `<…`, `a..b`: GitHub's search syntax for dates. */
function createdWithin(run: Run, created: string | null): boolean {
  if (created === null) return true;
  const at = Math.floor(run.createdAtMs / 1000) * 1000;
  const [from, to] = created.split('..');
  if (to !== undefined) return at >= Date.parse(from ?? '') && at <= Date.parse(to);
  const [, operator = '', day = ''] = /^(>=|<=|>|<)?(.*)$/.exec(created) ?? [];
  const bound = Date.parse(day);
  if (operator === '>=') return at >= bound;
  if (operator === '<=') return at <= bound;
  if (operator === '>') return at > bound;
  return operator === '<' ? at < bound : new Date(at).toISOString().startsWith(day.slice(0, 10));
}

/** 204, or since 2026-02-19 with `return_run_details` 200 with the run's id and addresses. */
async function dispatchWorkflow(call: ActorCall, body: z.infer<typeof dispatch>): Promise<Answer> {
  const workflow = findWorkflow(call);
  if (workflow === null) return notFoundAnswer();
  if (workflow.state !== 'active')
    return unprocessableAnswer("Cannot trigger a 'workflow_dispatch' on a disabled workflow");
  if (Object.keys(body.inputs).length > github.dispatchInputs) {
    return unprocessableAnswer(
      `you may only define up to ${github.dispatchInputs} \`inputs\` for a workflow_dispatch event`,
    );
  }
  if (JSON.stringify(body.inputs).length > github.dispatchInputCharacters)
    return unprocessableAnswer('inputs are too large.');
  const found = await findRef(call, body.ref);
  if (found === null) return unprocessableAnswer(`No ref found for: ${body.ref}`);
  const { ref, headSha } = found;
  const declared = await readInputs(call, workflow, headSha);
  if (declared === null) return unprocessableAnswer("Workflow does not have 'workflow_dispatch' trigger");
  const checked = checkDispatchInputs(declared, body.inputs);
  if (!checked.ok) return unprocessableAnswer(checked.message);
  const payload = {
    ref,
    inputs: Object.keys(declared).length === 0 ? null : checked.inputs,
    workflow: workflow.path,
    repository: shapeRepo(call.world, call.repo),
    sender: shapeUser(call.world, call.actor),
  };
  // The runner plans and names the run when it handles the dispatch event.
  const run = createRun(call.world, {
    repo: call.repo,
    workflow,
    event: 'workflow_dispatch',
    payload,
    actorId: call.actor.id,
    source: { headSha, headBranch: ref.replace(/^refs\/(?:heads|tags)\//, ''), pullNumbers: [] },
    title: workflow.name,
    inputs: checked.inputs,
  });
  await emitChange(call.world, {
    type: 'workflow_dispatch',
    action: null,
    repo: call.repo,
    sender: call.actor,
    byTokenKind: call.caller.kind,
    runId: run.id,
    payload,
  });
  if (!body.return_run_details) return noContentAnswer();
  return okAnswer({
    workflow_run_id: run.id,
    run_url: `${repoApi(call.world, call.repo)}/actions/runs/${run.id}`,
    html_url: `${repoPage(call.world, call.repo)}/actions/runs/${run.id}`,
  });
}

/** A branch, else a tag of that name; a commit id is not accepted (docs: create a workflow dispatch event, `ref`). */
async function findRef(
  { world, repo }: ActorCall,
  name: string,
): Promise<{ readonly ref: string; readonly headSha: string } | null> {
  const store = world.gitOf(repo);
  const refs = await store.refs();
  const candidates = name.startsWith('refs/') ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];
  const ref = candidates.find((one) => /^refs\/(?:heads|tags)\//.test(one) && refs.has(one));
  const headSha = ref === undefined ? null : await peelToCommit(store, refs.get(ref) ?? '');
  return ref === undefined || headSha === null ? null : { ref, headSha };
}

/**
 * The inputs that the file declares at that commit. The workflow must exist on the default branch, but the ref's own
 * file counts.
 */
async function readInputs(
  { world, repo }: ActorCall,
  workflow: Workflow,
  headSha: string,
): Promise<Workflow['dispatchInputs']> {
  const store = world.gitOf(repo);
  const commit = await store.readCommit(headSha);
  const entry = commit === null ? null : await entryAt(store, commit.tree, workflow.path);
  const bytes = entry === null ? null : await store.readBlob(entry.sha);
  if (bytes === null) return null;
  const source = new TextDecoder().decode(bytes);
  if (source === workflow.source) return workflow.dispatchInputs;
  return parseWorkflow(workflow.path, source).triggers.dispatch;
}

function setState(call: ActorCall, state: Workflow['state']): Answer {
  const row = findWorkflow(call);
  if (row === null) return notFoundAnswer();
  if (row.state === state) return failedAnswer(422, `Unable to change the state to ${state}: it is already so`);
  call.world.state.workflows[row.id] = { ...row, state, updatedAtMs: call.world.clock.now() };
  return noContentAnswer();
}
