/** Reactions below a comment with their numbers; a click adds or removes the speaker's own. */
import type { ApiReactions } from '../api/thread-shapes.ts';
import { type Html, html } from '../html.ts';
import { icon } from './icons.ts';

/** GitHub's eight, by the names of its API. */
const reactionSigns = {
  '+1': '👍',
  '-1': '👎',
  laugh: '😄',
  hooray: '🎉',
  confused: '😕',
  heart: '❤️',
  rocket: '🚀',
  eyes: '👀',
} as const;

const reactionNames: Readonly<Record<string, string>> = { '+1': 'thumbs up', '-1': 'thumbs down' };

/** `action` is the address to which the form posts. */
export function reactionBar(reactions: ApiReactions | null | undefined, action: string): Html {
  const given = Object.entries(reactionSigns).filter(([content]) => Number(reactions?.[content] ?? 0) > 0);
  return html`<form class="reactions" method="post" action="${action}" data-act>
    ${given.map(([content, sign]) => button(content, sign, Number(reactions?.[content])))}
    <details class="menu"><summary class="reaction" aria-label="Add a reaction">${icon('smile')}</summary>
      <div class="menu-items reaction-choice">${Object.entries(reactionSigns).map(([content, sign]) => button(content, sign, null))}</div>
    </details>
  </form>`;
}

function button(content: string, sign: string, count: number | null): Html {
  const name = reactionNames[content] ?? content;
  return html`<button class="reaction" name="content" value="${content}" aria-label="${count === null ? `React with ${name}` : `${name}: ${count}`}" title="${name}">${sign}${count === null ? null : html` <span>${count}</span>`}</button>`;
}
