/** A guided story for a newcomer: where it starts, and its actions and effects, step by step. */
import { branchShape } from '../api/repo-shapes.ts';
import { type Html, html } from '../html.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import type { RepoLocation } from '../place.ts';
import type { Try, Visit } from '../visit.ts';

/** Stories with a link to their pre-filled form; the commit is the newest of the default branch. */
export async function tryCards(visit: Visit, place: RepoLocation): Promise<readonly Html[]> {
  if (visit.tries.length === 0) return [];
  const branch = await visit.api.get(
    `${place.api}/branches/${encodeURIComponent(place.repo.default_branch)}`,
    branchShape,
  );
  const commit = branch.kind === 'found' ? branch.data.commit.sha : '';
  return visit.tries.map((story) => {
    const { template, answers, commitField } = story.form;
    const query = new URLSearchParams({ template, ...answers, [commitField]: commit });
    return card(
      place,
      story,
      html`<p class="row"><a class="button primary" href="${`${place.path}/issues/new?${query}`}">Open the form, filled in</a></p>`,
    );
  });
}

/** The steps of the story to which a thread belongs. */
export function trySteps(visit: Visit, place: RepoLocation, labels: readonly string[]): Html | null {
  const story = visit.tries.find(({ form }) => labels.includes(form.label));
  return story === undefined ? null : card(place, story, null);
}

/** On a thread's page, a step's comment is a button that writes it into the comment box. */
function card(place: RepoLocation, { title, about, steps }: Try, startLink: Html | null): Html {
  const inThread = startLink === null;
  return html`<details class="card new-issue try" ${inThread ? null : html`open`}><summary>${inThread ? 'Step by step' : 'Try'}: ${title}</summary><div class="card-body">
    ${renderMarkdown(about, { repoPath: place.path })}${startLink}
    <ol class="try-steps">${steps.map(
      ({ who, what, line }) =>
        html`<li><strong>${who ?? 'by itself'}</strong>${line === null ? null : commentLine(line, inThread)}${renderMarkdown(what, { repoPath: place.path })}</li>`,
    )}</ol></div></details>`;
}

function commentLine(line: string, inThread: boolean): Html {
  return inThread
    ? html` <a class="chip" href="#new-comment" data-insert="${line}"><code>${line}</code></a>`
    : html` <code>${line}</code>`;
}
