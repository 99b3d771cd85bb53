/** What `actions/checkout` refuses since v7: a fork's code in a run that has the base repository's secrets. */

import * as z from 'zod';
import type { Json } from '../../world/json.ts';

const repository = z.object({ id: z.number(), full_name: z.string() });
const pullTarget = z.object({
  repository: z.object({ id: z.number() }),
  pull_request: z.object({
    head: z.object({ sha: z.string(), repo: repository.nullish() }),
    merge_commit_sha: z.string().nullish(),
  }),
});
const afterRun = z.object({
  repository: z.object({ id: z.number() }),
  workflow_run: z.object({
    event: z.string(),
    head_sha: z.string(),
    head_commit: z.object({ id: z.string() }).nullish(),
    head_repository: repository.nullish(),
  }),
});

/** The checkout that a step requests. `commit`: the ref, if it is a commit id. */
export type CheckoutWish = { readonly repository: string; readonly ref: string; readonly commit: string | null };

/**
 * The refusal message, or null. It applies only to `pull_request_target` and `workflow_run`, and only to refs that
 * clearly belong to the pull request. Comments and dispatches are not covered (actions/checkout,
 * unsafe-pr-checkout-helper.ts).
 */
export function findUnsafeCheckout(eventName: string, payload: Json, wish: CheckoutWish): string | null {
  const head = untrustedHead(eventName, payload);
  if (head === null || head.repository == null || head.repository.id === head.baseId) return null;
  const pointsAtIt =
    wish.repository.toLowerCase() === head.repository.full_name.toLowerCase() ||
    /^refs\/pull\/\d+\/(?:head|merge)$/.test(wish.ref) ||
    (wish.commit !== null && head.commits.includes(wish.commit.toLowerCase()));
  if (!pointsAtIt) return null;
  return (
    `Refusing to check out fork pull request code from a '${eventName}' workflow. ` +
    "To opt in, review the risks and set 'allow-unsafe-pr-checkout: true' on the actions/checkout step."
  );
}

type Head = {
  readonly baseId: number;
  readonly repository: z.output<typeof repository> | null | undefined;
  readonly commits: readonly string[];
};

function untrustedHead(eventName: string, payload: Json): Head | null {
  if (eventName === 'pull_request_target') {
    const { repository: base, pull_request: pull } = pullTarget.parse(payload);
    const commits = [pull.head.sha, pull.merge_commit_sha ?? ''];
    return { baseId: base.id, repository: pull.head.repo, commits };
  }
  if (eventName !== 'workflow_run') return null;
  const { repository: base, workflow_run: run } = afterRun.parse(payload);
  if (!run.event.startsWith('pull_request')) return null;
  const own = run.event === 'pull_request_target' ? [] : [run.head_sha];
  return { baseId: base.id, repository: run.head_repository, commits: [run.head_commit?.id ?? '', ...own] };
}
