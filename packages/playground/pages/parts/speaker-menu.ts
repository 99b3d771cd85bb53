/** The menu in the top bar that changes the speaker; it works without a script. */
import { type Html, html } from '../html.ts';
import type { Person, Role } from '../people.ts';
import type { Visit } from '../visit.ts';
import { avatar } from './avatar.ts';
import { icon } from './icons.ts';

/** What a role means, in a few words. */
const roleNotes: Readonly<Record<Role, string>> = {
  maintainer: 'runs the lab; may approve',
  author: 'writes changes; may ask',
  reader: 'reads along',
  stranger: 'passes by',
};

export function speakerMenu({ people, speaker, request }: Visit): Html {
  return html`<details class="menu speaker" data-live-skip>
  <summary><span class="sr-only">Change the speaker.</span> <span class="speaker-as">Speaking as</span> ${avatar(speaker.login)}<strong>${speaker.login}</strong> <span class="role role-${speaker.role}">${speaker.role}</span>${icon('chevron')}</summary>
  <form class="menu-items" method="post" action="/_playground/speaker">
    <input type="hidden" name="back" value="${request.path}">
    <p class="menu-title">Who is speaking?</p>
    ${people.map((person) => choice(person, person.login === speaker.login))}
  </form>
</details>`;
}

function choice(person: Person, current: boolean): Html {
  return html`<button class="menu-item" name="speaker" value="${person.login}" ${current ? html`aria-current="true"` : null}>${avatar(person.login)}<span><strong>${person.login}</strong> <span class="role role-${person.role}">${person.role}</span><br><small>${roleNotes[person.role]}</small></span>${current ? icon('check') : null}</button>`;
}
