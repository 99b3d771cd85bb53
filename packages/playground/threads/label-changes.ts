/** Adds labels to issues and removes them. A label that the repository lacks is created, as on GitHub. */

import { type Answer, failedAnswer, invalidAnswer } from '../api/reply.ts';
import { shapeLabel } from '../git/shape-repo.ts';
import { isAllowed } from '../identity/permissions.ts';
import { github } from '../limits/limits.ts';
import { emitChange } from '../world/emit.ts';
import { findLabel } from '../world/lookup.ts';
import { nextId } from '../world/world.ts';
import type { Issue, Label, LabelEvent } from './state-threads.ts';
import { type Act, emitIssue, putIssue, rereadRepo } from './threads.ts';

const plainColor = 'ededed';

/**
 * Why these labels cannot be added to a thread, or null. Permission to add labels does not include creating new ones:
 * that requires the role write or, for Apps, `issues:write`, also on pull requests (github.com/actions/labeler, pull
 * 867).
 */
export function findLabelsProblem(act: Act, names: readonly string[]): Answer | null {
  const repo = rereadRepo(act);
  const fresh = names.filter((name) => findLabel(repo, name) === null);
  if (fresh.some((name) => name.trim() === ''))
    return invalidAnswer([{ resource: 'Label', field: 'name', code: 'missing_field' }]);
  if (fresh.some((name) => [...name].length > github.labelNameCharacters)) {
    const message = `name is too long (maximum is ${github.labelNameCharacters} characters)`;
    return invalidAnswer([{ resource: 'Label', field: 'name', code: 'custom', message }]);
  }
  if (fresh.length === 0 || isAllowed(act.world, act.caller, act.repo, 'issues:write', 'write')) return null;
  return failedAnswer(403, 'You do not have permission to create labels on this repository.');
}

/** Sets exactly these labels. */
export async function setLabels(act: Act, before: Issue, names: readonly string[]): Promise<Issue> {
  let issue = before;
  for (const old of before.labels) {
    if (!names.some((name) => isSameName(name, old))) issue = await removeLabel(act, issue, old);
  }
  return addLabels(act, issue, names);
}

export async function addLabels(act: Act, before: Issue, names: readonly string[]): Promise<Issue> {
  let issue = before;
  for (const name of names) {
    if (issue.labels.some((one) => isSameName(one, name))) continue;
    const label =
      findLabel(rereadRepo(act), name) ?? (await createLabel(act, { name, color: plainColor, description: null }));
    issue = putIssue(act.world, {
      ...issue,
      labels: [...issue.labels, label.name],
      labelEvents: [...(issue.labelEvents ?? []), buildLabelEvent(act, 'labeled', label)],
      updatedAtMs: act.world.clock.now(),
    });
    await emitIssue(act, issue, 'labeled', { label: shapeLabel(act.world, act.repo, label) });
  }
  return issue;
}

export async function removeLabel(act: Act, before: Issue, name: string): Promise<Issue> {
  const label = findLabel(rereadRepo(act), name);
  const labels = before.labels.filter((one) => !isSameName(one, name));
  const taken = buildLabelEvent(act, 'unlabeled', label ?? { name, color: plainColor });
  const labelEvents = [...(before.labelEvents ?? []), taken];
  const issue = putIssue(act.world, { ...before, labels, labelEvents, updatedAtMs: act.world.clock.now() });
  await emitIssue(act, issue, 'unlabeled', label === null ? {} : { label: shapeLabel(act.world, act.repo, label) });
  return issue;
}

export async function createLabel(act: Act, wanted: Omit<Label, 'id'>): Promise<Label> {
  const label: Label = { id: nextId(act.world, 'labels'), ...wanted };
  const repo = rereadRepo(act);
  act.world.state.repos[repo.id] = { ...repo, labels: [...repo.labels, label] };
  await emitChange(act.world, {
    type: 'label',
    action: 'created',
    repo,
    sender: act.actor,
    byTokenKind: act.caller.kind,
    payload: { label: shapeLabel(act.world, repo, label) },
  });
  return label;
}

function buildLabelEvent(
  act: Act,
  event: LabelEvent['event'],
  { name, color }: Pick<Label, 'name' | 'color'>,
): LabelEvent {
  const id = nextId(act.world, 'labelEvents');
  return { id, actorId: act.actor.id, event, label: { name, color }, atMs: act.world.clock.now() };
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
