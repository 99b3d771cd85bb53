/** Routes of labels (docs.github.com/rest/issues/labels) of a repository and of an issue. */

import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  invalidAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
} from '../../api/reply.ts';
import {
  type ActorCall,
  actRoute,
  contentRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
import { shapeLabel } from '../../git/shape-repo.ts';
import { github } from '../../limits/limits.ts';
import { findLabel } from '../../world/lookup.ts';
import { addLabels, createLabel, findLabelsProblem, removeLabel, setLabels } from '../label-changes.ts';
import { shapeIssueLabels } from '../shape-issue.ts';
import type { Issue } from '../state-threads.ts';
import { refuseThreadAccess } from '../thread-access.ts';
import { rereadRepo } from '../threads.ts';
import { findIssueOfCall } from './issues.ts';

const read = repoAccess(['issues:read', 'pull_requests:read'], 'public');
const put = repoAccess(['issues:write', 'pull_requests:write'], 'triage');
const define = repoAccess('issues:write', 'write');

const color = z.string().regex(/^[0-9a-fA-F]{6}$/);
const definition = z.object({
  name: z.string().min(1).max(github.labelNameCharacters),
  color: color.default('ededed'),
  description: z.string().max(100).nullish(),
});
const redefinition = z.object({
  new_name: z.string().min(1).max(github.labelNameCharacters).optional(),
  color: color.optional(),
  description: z.string().max(100).nullish(),
});
const name = z.union([z.string(), z.object({ name: z.string() }).transform((one) => one.name)]);
const names = z.union([
  z.array(name).max(github.labelsPerRequest),
  z.object({ labels: z.array(name).max(github.labelsPerRequest) }).transform((one) => one.labels),
]);

export const labelRoutes: readonly Route[] = [
  readRoute('/labels', read, (call) =>
    answerPage(call, call.repo.labels, (one) => shapeLabel(call.world, call.repo, one)),
  ),
  readRoute('/labels/:name', read, (call) => {
    const label = findLabel(call.repo, call.params['name'] ?? '');
    return label === null ? notFoundAnswer() : okAnswer(shapeLabel(call.world, call.repo, label));
  }),
  writeRoute('POST', '/labels', define, definition, async (call, body) => {
    if (findLabel(call.repo, body.name) !== null) {
      return invalidAnswer([{ resource: 'Label', field: 'name', code: 'already_exists' }]);
    }
    const label = await createLabel(call, { ...body, description: body.description ?? null });
    return createdAnswer(shapeLabel(call.world, call.repo, label));
  }),
  writeRoute('PATCH', '/labels/:name', define, redefinition, changeDefinition),
  actRoute('DELETE', '/labels/:name', define, removeDefinition),
  readRoute('/issues/:number/labels', read, (call) => {
    const issue = findIssueOfCall(call);
    if (issue === null) return notFoundAnswer();
    const refusal = refuseThreadAccess(call, issue, 'read');
    if (refusal !== null) return refusal;
    return answerPage(call, shapeIssueLabels(call.world, call.repo, issue), (one) => one);
  }),
  contentRoute(
    writeRoute('POST', '/issues/:number/labels', put, names, (call, list) =>
      change(call, (issue) => addLabels(call, issue, list), list),
    ),
  ),
  contentRoute(
    writeRoute('PUT', '/issues/:number/labels', put, names, (call, list) =>
      change(call, (issue) => setLabels(call, issue, list), list),
    ),
  ),
  actRoute('DELETE', '/issues/:number/labels', put, async (call) => {
    const answer = await change(call, (issue) => setLabels(call, issue, []));
    return answer.status === 200 ? noContentAnswer() : answer;
  }),
  actRoute('DELETE', '/issues/:number/labels/:name', put, (call) => {
    const wanted = (call.params['name'] ?? '').toLowerCase();
    const issue = findIssueOfCall(call);
    const known = issue?.labels.find((one) => one.toLowerCase() === wanted);
    return known === undefined ? notFoundAnswer() : change(call, (one) => removeLabel(call, one, known));
  }),
];

async function change(
  call: ActorCall,
  apply: (issue: Issue) => Promise<Issue>,
  wanted: readonly string[] = [],
): Promise<Answer> {
  const issue = findIssueOfCall(call);
  if (issue === null) return notFoundAnswer();
  const refusal = refuseThreadAccess(call, issue, 'write') ?? findLabelsProblem(call, wanted);
  if (refusal !== null) return refusal;
  const changed = await apply(issue);
  return okAnswer(shapeIssueLabels(call.world, rereadRepo(call), changed));
}

function changeDefinition(call: ActorCall, body: z.infer<typeof redefinition>): Answer {
  const label = findLabel(call.repo, call.params['name'] ?? '');
  if (label === null) return notFoundAnswer();
  const next = {
    ...label,
    name: body.new_name ?? label.name,
    color: body.color ?? label.color,
    description: body.description === undefined ? label.description : body.description,
  };
  const taken = findLabel(call.repo, next.name);
  if (taken !== null && taken.id !== label.id) {
    return invalidAnswer([{ resource: 'Label', field: 'name', code: 'already_exists' }]);
  }
  const repo = rereadRepo(call);
  call.world.state.repos[repo.id] = { ...repo, labels: repo.labels.map((one) => (one.id === label.id ? next : one)) };
  renameOnIssues(call, label.name, next.name);
  return okAnswer(shapeLabel(call.world, call.repo, next));
}

function removeDefinition(call: ActorCall): Answer {
  const label = findLabel(call.repo, call.params['name'] ?? '');
  if (label === null) return notFoundAnswer();
  const repo = rereadRepo(call);
  call.world.state.repos[repo.id] = { ...repo, labels: repo.labels.filter((one) => one.id !== label.id) };
  renameOnIssues(call, label.name, null);
  return noContentAnswer();
}

function renameOnIssues(call: RepoCall, from: string, to: string | null): void {
  const { issues } = call.world.state;
  for (const [key, issue] of Object.entries(issues)) {
    if (issue.repoId !== call.repo.id || !issue.labels.includes(from)) continue;
    const labels = issue.labels.flatMap((one) => (one === from ? (to === null ? [] : [to]) : [one]));
    issues[key] = { ...issue, labels };
  }
}
