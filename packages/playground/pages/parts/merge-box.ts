/** The box that merges a pull request, for people with write access. */
import { type Html, html } from '../html.ts';
import type { RepoLocation } from '../place.ts';
import type { PullPart } from '../thread/read-thread.ts';
import { icon } from './icons.ts';

/** Empty if the pull request cannot be merged, or not by this person. */
export function mergeBox(place: RepoLocation, part: PullPart): Html {
  return html`<div data-live="merge">${mergeCard(place, part)}</div>`;
}

function mergeCard(place: RepoLocation, { pull }: PullPart): Html | null {
  if (pull.state !== 'open' || !place.mayWrite || pull.draft === true) return null;
  if (pull.mergeable === false) {
    return html`<section class="card merge" data-key="conflict"><p>${icon('attention')} This branch has conflicts that must be resolved.</p></section>`;
  }
  return html`<section class="card merge" aria-label="Merge" data-key="merge"><form method="post" action="${place.path}/pull/${pull.number}/merge" data-act class="row">
    <label><span class="sr-only">How to merge</span><select name="method"><option value="squash">Squash and merge</option><option value="merge">Merge commit</option><option value="rebase">Rebase and merge</option></select></label>
    <button class="button">${icon('merged')} Merge pull request</button>
    <span class="muted small">Merging starts no run; a launch needs a command.</span>
  </form></section>`;
}
