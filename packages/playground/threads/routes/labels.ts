/** Routes of labels (docs.github.com/rest/issues/labels) of a repository and of an issue. */

import * as z from 'zod';
import { paged } from '../../api/paging.ts';
import { type Answer, created, invalid, noContent, notFound, ok } from '../../api/reply.ts';
import {
  type ActorCall,
  acts,
  content,
  type RepoCall,
  type Route,
  reads,
  repoAccess,
  writes,
} from '../../api/route.ts';
import { shapeLabel } from '../../git/shape-repo.ts';
import { github } from '../../limits/limits.ts';
import { labelOf } from '../../world/lookup.ts';
import { addLabels, createLabel, labelsProblem, setLabels, takeLabel } from '../label-changes.ts';
import { shapeIssueLabels } from '../shape-issue.ts';
import type { Issue } from '../state-threads.ts';
import { threadRefusal } from '../thread-access.ts';
import { freshRepo } from '../threads.ts';
import { issueOf } from './issues.ts';

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
  reads('/labels', read, (call) => paged(call, call.repo.labels, (one) => shapeLabel(call.world, call.repo, one))),
  reads('/labels/:name', read, (call) => {
    const label = labelOf(call.repo, call.params['name'] ?? '');
    return label === null ? notFound() : ok(shapeLabel(call.world, call.repo, label));
  }),
  writes('POST', '/labels', define, definition, async (call, body) => {
    if (labelOf(call.repo, body.name) !== null) {
      return invalid([{ resource: 'Label', field: 'name', code: 'already_exists' }]);
    }
    const label = await createLabel(call, { ...body, description: body.description ?? null });
    return created(shapeLabel(call.world, call.repo, label));
  }),
  writes('PATCH', '/labels/:name', define, redefinition, changeDefinition),
  acts('DELETE', '/labels/:name', define, removeDefinition),
  reads('/issues/:number/labels', read, (call) => {
    const issue = issueOf(call);
    if (issue === null) return notFound();
    const refusal = threadRefusal(call, issue, 'read');
    if (refusal !== null) return refusal;
    return paged(call, shapeIssueLabels(call.world, call.repo, issue), (one) => one);
  }),
  content(
    writes('POST', '/issues/:number/labels', put, names, (call, list) =>
      change(call, (issue) => addLabels(call, issue, list), list),
    ),
  ),
  content(
    writes('PUT', '/issues/:number/labels', put, names, (call, list) =>
      change(call, (issue) => setLabels(call, issue, list), list),
    ),
  ),
  acts('DELETE', '/issues/:number/labels', put, async (call) => {
    const answer = await change(call, (issue) => setLabels(call, issue, []));
    return answer.status === 200 ? noContent() : answer;
  }),
  acts('DELETE', '/issues/:number/labels/:name', put, (call) => {
    const wanted = (call.params['name'] ?? '').toLowerCase();
    const issue = issueOf(call);
    const known = issue?.labels.find((one) => one.toLowerCase() === wanted);
    return known === undefined ? notFound() : change(call, (one) => takeLabel(call, one, known));
  }),
];

async function change(
  call: ActorCall,
  apply: (issue: Issue) => Promise<Issue>,
  wanted: readonly string[] = [],
): Promise<Answer> {
  const issue = issueOf(call);
  if (issue === null) return notFound();
  const refusal = threadRefusal(call, issue, 'write') ?? labelsProblem(call, wanted);
  if (refusal !== null) return refusal;
  const changed = await apply(issue);
  return ok(shapeIssueLabels(call.world, freshRepo(call), changed));
}

function changeDefinition(call: ActorCall, body: z.infer<typeof redefinition>): Answer {
  const label = labelOf(call.repo, call.params['name'] ?? '');
  if (label === null) return notFound();
  const next = {
    ...label,
    name: body.new_name ?? label.name,
    color: body.color ?? label.color,
    description: body.description === undefined ? label.description : body.description,
  };
  const taken = labelOf(call.repo, next.name);
  if (taken !== null && taken.id !== label.id) {
    return invalid([{ resource: 'Label', field: 'name', code: 'already_exists' }]);
  }
  const repo = freshRepo(call);
  call.world.state.repos[repo.id] = {
    ...repo,
    labels: repo.labels.map((one) => (one.id === label.id ? next : one)),
  };
  renameOnIssues(call, label.name, next.name);
  return ok(shapeLabel(call.world, call.repo, next));
}

function removeDefinition(call: ActorCall): Answer {
  const label = labelOf(call.repo, call.params['name'] ?? '');
  if (label === null) return notFound();
  const repo = freshRepo(call);
  call.world.state.repos[repo.id] = { ...repo, labels: repo.labels.filter((one) => one.id !== label.id) };
  renameOnIssues(call, label.name, null);
  return noContent();
}

function renameOnIssues(call: RepoCall, from: string, to: string | null): void {
  const { issues } = call.world.state;
  for (const [key, issue] of Object.entries(issues)) {
    if (issue.repoId !== call.repo.id || !issue.labels.includes(from)) continue;
    const labels = issue.labels.flatMap((one) => (one === from ? (to === null ? [] : [to]) : [one]));
    issues[key] = { ...issue, labels };
  }
}
