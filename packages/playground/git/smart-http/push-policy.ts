/** What a push may not do, as data that a hook of git's gets in its environment: the hook sees objects that nobody else has yet. */

import * as z from 'zod';

const barrier = z.object({
  /** Regular expressions of full ref names. */
  include: z.array(z.string()),
  exclude: z.array(z.string()),
  /** `workflows`: files under .github/workflows/ that no other branch has. */
  forbids: z.enum(['creation', 'deletion', 'update', 'rewrite', 'workflows']),
  /** Commits to which the ref may move all the same. */
  unless: z.array(z.string()),
  /** What git tells the client. */
  words: z.string(),
});

export type Barrier = z.infer<typeof barrier>;

/** An empty policy needs no hook. */
export const pushPolicySchema = z.array(barrier);

export type RefMove = { readonly ref: string; readonly before: string; readonly after: string };

const zeros = /^0+$/;

/** What has to be looked up in git, only where a barrier asks for it. */
type Looks = {
  readonly isForward: () => Promise<boolean>;
  readonly writesWorkflows: () => Promise<boolean>;
};

/** The first barrier in the way, or null. */
export async function barrierFor(
  policy: readonly Barrier[],
  { ref, before, after }: RefMove,
  { isForward, writesWorkflows }: Looks,
): Promise<Barrier | null> {
  const isNew = zeros.test(before);
  const isGone = zeros.test(after);
  for (const one of policy) {
    const names = (patterns: readonly string[]): boolean =>
      patterns.some((text) => new RegExp(text).test(ref));
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
