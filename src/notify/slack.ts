/** A Slack incoming webhook (Slack, Sending messages using incoming webhooks): `text` as mrkdwn. */

import type { Channel } from './channel.ts';
import { postJson } from './post-json.ts';

export const send: Channel['send'] = ({ title, text, url }, address, host) =>
  postJson(address, { text: `*${escaped(title)}*\n${escaped(text)}\n<${escaped(url)}>` }, host);

/** The three signs that Slack gives a meaning (Slack, Formatting text): without `<` nobody is mentioned. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
