/** A person's avatar: a letter on a colour, and for bots a square with a face. No image is loaded. */
import { type Html, html } from '../html.ts';
import { icon } from './icons.ts';
import { showHiddenCharacters } from './written.ts';

const hues = 8;

/** Decoration only: the login is always next to it. */
export function avatar(login: string | null, size: 'small' | 'large' = 'small'): Html {
  const name = login ?? 'ghost';
  const bot = name.endsWith('[bot]');
  return html`<span class="avatar avatar-${size} hue-${bot ? 'bot' : chooseHue(name)}" aria-hidden="true">${
    bot ? icon('bot') : name.slice(0, 1).toUpperCase()
  }</span>`;
}

/** `name[bot]` as GitHub shows it: the name and a small badge. */
export function loginText(login: string | null | undefined): Html {
  if (login === null || login === undefined) return html`<strong class="login">ghost</strong>`;
  if (!login.endsWith('[bot]')) return html`<strong class="login">${showHiddenCharacters(login)}</strong>`;
  return html`<strong class="login">${login.slice(0, -5)}</strong> <span class="badge">bot</span>`;
}

function chooseHue(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % hues;
}
