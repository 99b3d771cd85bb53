/** A Slack incoming webhook (Slack, Sending messages using incoming webhooks); the text is mrkdwn. */

import { type Channel, postJson } from './channel.ts';

export const send: Channel['send'] = ({ title, text, url }, address, host) =>
  postJson(address, { text: `*${escapeSlack(title)}*\n${escapeSlack(text)}\n<${escapeSlack(url)}>` }, host);

/** The characters with a meaning in Slack (Formatting text); mentions need `<`. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
