/** A thread's page: an issue, or a pull request's conversation. */
import { readBotWish } from '../guide.ts';
import { html } from '../html.ts';
import { checksPanel } from '../parts/checks-panel.ts';
import { composer } from '../parts/composer.ts';
import { mergeBox } from '../parts/merge-box.ts';
import { nextStep } from '../parts/next-step.ts';
import { repoHeader } from '../parts/repo-header.ts';
import { threadHead } from '../parts/thread-head.ts';
import { threadSidebar } from '../parts/thread-sidebar.ts';
import { trySteps } from '../parts/try-card.ts';
import { readThread } from '../thread/read-thread.ts';
import { timeline } from '../thread/timeline.ts';
import type { Params, Screen, Visit } from '../visit.ts';

/** `/owner/repo/issues/7` and `/owner/repo/pull/7`; the wrong one redirects to the right one, as on GitHub. */
export async function threadScreen(visit: Visit, params: Params): Promise<Screen> {
  const thread = await readThread(visit, params);
  if (thread === null) return { kind: 'missing', message: 'There is no such thread here, or you may not see it.' };
  const { place, issue, pullPart } = thread;
  const path = `${place.path}/${pullPart === null ? 'issues' : 'pull'}/${issue.number}`;
  if ((visit.request.segments[2] === 'pull') !== (pullPart !== null)) return { kind: 'moved', to: path };
  return {
    kind: 'page',
    title: `${issue.title} · #${issue.number} · ${place.repo.full_name}`,
    header: repoHeader(place, pullPart === null ? 'issues' : 'pulls'),
    body: html`<div class="page">
      ${threadHead(place, issue, pullPart, 'conversation')}
      <div class="columns"><div class="main-column">
        ${nextStep(visit, issue, pullPart?.checks ?? [], readBotWish(thread.comments))}
        ${trySteps(
          visit,
          place,
          issue.labels.map(({ name }) => name),
        )}
        ${timeline(visit, thread)}
        ${pullPart === null ? null : checksPanel(pullPart.checks, `${path}/checks`)}
        ${pullPart === null ? null : mergeBox(place, pullPart)}
        ${composer(visit, thread)}
      </div>${threadSidebar(thread)}</div></div>`,
  };
}
