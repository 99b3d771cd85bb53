/**
 * Copies the branches and tags of a checkout into a bare repository of the playground; the checkout itself is only
 * read.
 */

import { createGitProgram } from '../../packages/playground/git/store/git-program.ts';
import type { Checkout } from './checkout.ts';

/**
 * Branches of the remote `origin` first, then the checkout's own over them: the result is what a push would leave on
 * GitHub. Seal tags are not copied, because today's rehearsal would conflict with today's seal of the lab.
 */
export async function cloneCheckout({ directory, branch }: Checkout, target: string): Promise<void> {
  const git = createGitProgram({ directory: target, defaultBranch: branch });
  for (const refspecs of [
    ['+refs/remotes/origin/*:refs/heads/*', '^refs/remotes/origin/HEAD'],
    ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*', '^refs/tags/ferry/*'],
  ])
    await git.read(['fetch', '--quiet', ...QUIETLY, directory, ...refspecs]);
}

/** Only objects and the named refs; a shallow checkout stays shallow. */
const QUIETLY = ['--no-tags', '--no-auto-gc', '--no-write-fetch-head', '--update-shallow'];
