/**
 * Where a launch is asked from, as far as the runner can see it (architecture, D5): only a dispatch of the configured launch
 * workflow on the default branch may carry out an order. Whoever asks for the runner's label from elsewhere is refused.
 */

import type { RefusalCode } from '../domain/launch/refusal.ts';

/** As GitHub names them: GITHUB_EVENT_NAME, GITHUB_REF and GITHUB_WORKFLOW_REF (docs: default environment variables). */
export type LaunchPlace = {
  readonly event: string;
  readonly ref: string;
  /** `owner/name/.github/workflows/FILE@REF`. */
  readonly workflowRef: string;
};

/** What the default branch says about where launches come from. `workflow` is the file name of the config. */
export type LaunchHome = {
  readonly repository: string;
  readonly defaultBranch: string;
  readonly workflow: string;
};

/** Null where an order may be carried out; otherwise the refusal, with what was found. */
export function verifyWorkflowOrigin(
  place: LaunchPlace,
  home: LaunchHome,
): { readonly code: RefusalCode; readonly why: string } | null {
  const branch = `refs/heads/${home.defaultBranch}`;
  if (place.event !== 'workflow_dispatch') return { code: 'wrong-origin', why: place.event };
  if (place.ref !== branch) return { code: 'wrong-origin', why: place.ref };
  if (place.workflowRef === '')
    return { code: 'unreadable', why: 'the runner does not say which workflow this is' };
  const [path = '', ref = ''] = splitAtLast(place.workflowRef, '@');
  if (path.toLowerCase() !== `${home.repository}/.github/workflows/${home.workflow}`.toLowerCase())
    return { code: 'wrong-origin', why: place.workflowRef };
  return ref === branch ? null : { code: 'wrong-origin', why: place.workflowRef };
}

function splitAtLast(text: string, mark: string): readonly string[] {
  const at = text.lastIndexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
