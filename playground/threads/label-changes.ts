/** Puts labels on issues and takes them off; a label that the repository lacks is made, as GitHub does. */

import { shapeLabel } from '../git/shape-repo.ts';
import { emitChange } from '../world/emit.ts';
import { labelOf } from '../world/lookup.ts';
import { nextId } from '../world/world.ts';
import type { Issue, Label } from './state-threads.ts';
import { type Act, emitIssue, freshRepo, putIssue } from './threads.ts';

const plainColor = 'ededed';

/** Makes the issue carry exactly these labels. */
export async function setLabels(act: Act, before: Issue, names: readonly string[]): Promise<Issue> {
  let issue = before;
  for (const old of before.labels) {
    if (!names.some((name) => same(name, old))) issue = await takeLabel(act, issue, old);
  }
  return addLabels(act, issue, names);
}

export async function addLabels(act: Act, before: Issue, names: readonly string[]): Promise<Issue> {
  let issue = before;
  for (const name of names) {
    if (issue.labels.some((one) => same(one, name))) continue;
    const label =
      labelOf(freshRepo(act), name) ??
      (await createLabel(act, { name, color: plainColor, description: null }));
    issue = putIssue(act.world, {
      ...issue,
      labels: [...issue.labels, label.name],
      updatedAtMs: act.world.clock.now(),
    });
    await emitIssue(act, issue, 'labeled', { label: shapeLabel(act.world, act.repo, label) });
  }
  return issue;
}

export async function takeLabel(act: Act, before: Issue, name: string): Promise<Issue> {
  const label = labelOf(freshRepo(act), name);
  const labels = before.labels.filter((one) => !same(one, name));
  const issue = putIssue(act.world, { ...before, labels, updatedAtMs: act.world.clock.now() });
  await emitIssue(
    act,
    issue,
    'unlabeled',
    label === null ? {} : { label: shapeLabel(act.world, act.repo, label) },
  );
  return issue;
}

export async function createLabel(act: Act, wanted: Omit<Label, 'id'>): Promise<Label> {
  const label: Label = { id: nextId(act.world, 'labels'), ...wanted };
  const repo = freshRepo(act);
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

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
