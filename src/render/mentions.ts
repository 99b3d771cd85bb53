/** The one place where a text mentions people: accounts that a rule of the lab names, and nothing that anybody wrote. */

import { permits } from '../domain/actor.ts';
import type { Summons } from '../domain/effect.ts';
import type { PersonFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import type { Observed } from '../domain/observed.ts';
import { inlineText, listed } from './words.ts';

/** People whom one comment mentions: more would teach everybody to look away. */
const MENTIONS_MAX = 20;

/** What is added to a comment: a line that pages them. `people` are those who work on the repository, as GitHub names them now. */
export function renderMentions(summons: Summons, people: Observed<readonly PersonFacts[]>): string {
  if (people.kind === 'unknown')
    return `\nMeant for ${unnamed(summons)}; nobody is mentioned: ${inlineText(people.why, limits.shownTextCharsMax)}.\n`;
  const { permission } = summons;
  const byId = new Map(people.value.map((one) => [one.actor.id, one.actor.login]));
  const permitted =
    permission === null
      ? []
      : people.value.filter((one) => permits(one.permission, permission)).map(({ actor }) => actor.login);
  const named = summons.people.flatMap((id) => mentionable(byId.get(id)));
  const logins = [...new Set([...named, ...permitted.flatMap(mentionable)])];
  const shown = logins.slice(0, MENTIONS_MAX).map((login) => `@${login}`);
  const more = logins.length > shown.length ? ` and ${logins.length - shown.length} more` : '';
  const gone = summons.people.filter((id) => mentionable(byId.get(id)).length === 0);
  const missing =
    gone.length === 0
      ? ''
      : ` Not among those who work on this repository: ${listed(gone.map((id) => `account ${id}`))}.`;
  return shown.length === 0 && gone.length === 0 ? '' : `\n${shown.join(' ')}${more}${missing}\n`;
}

/** A login is letters, digits and dashes (GitHub, account names); anything else is no mention of ours. */
function mentionable(login: string | undefined): readonly string[] {
  return login !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(login) ? [login] : [];
}

function unnamed({ people, permission }: Summons): string {
  const accounts = people.map((id) => `account ${id}`);
  return listed([...accounts, ...(permission === null ? [] : [`everybody with ${permission} permission`])]);
}
