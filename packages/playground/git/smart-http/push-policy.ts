/**
 * What a push may not do, as data in the environment of git's hook: only the hook can see the objects before they are
 * accepted.
 */

import * as z from 'zod';

const barrier = z.object({
  /** Regular expressions of full ref names. */
  include: z.array(z.string()),
  exclude: z.array(z.string()),
  /** `workflows`: files under .github/workflows/ that are on no other branch. */
  forbids: z.enum(['creation', 'deletion', 'update', 'rewrite', 'workflows']),
  /** Commits to which the ref may move anyway. */
  unless: z.array(z.string()),
  /** The message that git prints for the client. */
  words: z.string(),
});

export type Barrier = z.infer<typeof barrier>;

/** An empty policy needs no hook. */
export const pushPolicySchema = z.array(barrier);

export type RefMove = { readonly ref: string; readonly before: string; readonly after: string };

const zeros = /^0+$/;

/** Values that must be read from git, only if a barrier needs them. */
type RefChecks = { readonly isForward: () => Promise<boolean>; readonly writesWorkflows: () => Promise<boolean> };

/** The first barrier that forbids the move, or null. */
export async function findBarrier(
  policy: readonly Barrier[],
  { ref, before, after }: RefMove,
  { isForward, writesWorkflows }: RefChecks,
): Promise<Barrier | null> {
  const isNew = zeros.test(before);
  const isGone = zeros.test(after);
  for (const one of policy) {
    const names = (patterns: readonly string[]): boolean => patterns.some((text) => new RegExp(text).test(ref));
    if (!names(one.include) || names(one.exclude) || one.unless.includes(after)) continue;
    const isBroken = {
      creation: async () => isNew,
      deletion: async () => isGone,
      update: async () => !isNew && !isGone,
      rewrite: async () => !isNew && !isGone && !(await isForward()),
      workflows: async () => !isGone && writesWorkflows(),
    };
    if (await isBroken[one.forbids]()) return one;
  }
  return null;
}
