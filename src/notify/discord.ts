/** A Discord webhook (Discord, Execute Webhook). Never mentions anyone. */

import { cutText } from '../domain/values.ts';
import { type Channel, postJson } from './channel.ts';

/** Discord, Execute Webhook. */
const CONTENT_CHARACTERS_MAX = 2_000;

export const send: Channel['send'] = ({ title, text, url }, address, host) => {
  const content = cutText(`**${escapeDiscord(title)}**\n${escapeDiscord(text)}\n${url}`, CONTENT_CHARACTERS_MAX);
  return postJson(address, { content, allowed_mentions: { parse: [] } }, host);
};

/** Escapes Markdown, mentions and links. */
function escapeDiscord(text: string): string {
  return text.replace(/[\\*_~`|>#<@[\]]/g, '\\$&');
}
