/** The panel at the top of a thread: the next action, who can do it, and the available commands. */
import type { ApiCheckRun } from '../api/run-shapes.ts';
import type { ApiIssue } from '../api/thread-shapes.ts';
import { type BotWish, isFerryThread, renderNextStep, suggestCommands } from '../guide.ts';
import { type Html, html } from '../html.ts';
import type { Visit } from '../visit.ts';
import { icon } from './icons.ts';
import { statusMark } from './status-mark.ts';
import { showHiddenCharacters } from './written.ts';

export function nextStep(visit: Visit, issue: ApiIssue, checks: readonly ApiCheckRun[], wish: BotWish): Html {
  const ferry = isFerryThread(issue, checks);
  const notable = checks.filter(
    (check) => (check.output?.title ?? '') !== '' && (check.app?.slug ?? '') === 'ferrybot',
  );
  return html`<section class="next" aria-labelledby="next-title" data-live="next"><div data-key="next">
  <h2 id="next-title">${icon(ferry ? 'ferry' : 'comment')} What is wanted, ${visit.speaker.login}?</h2>
  ${renderNextStep(visit.speaker, issue, ferry, wish)}
  ${notable.map((check) => html`<p class="next-check">${statusMark(check)} <strong>${showHiddenCharacters(check.name)}</strong> ${showHiddenCharacters(check.output?.title)}</p>`)}
  ${ferry && issue.state === 'open' ? commandChips(wish) : null}
</div></section>`;
}

/** Without a script the chips link to the comment box; with it they also write the command there. */
function commandChips(wish: BotWish): Html {
  return html`<div class="chips" role="group" aria-label="Write a command into the comment box">${suggestCommands(
    wish,
  ).map(
    ({ command, note, written: line }) =>
      html`<a class="chip" href="#new-comment" data-insert="${line}" title="${note}"><code>${command}</code></a>`,
  )}</div>`;
}
