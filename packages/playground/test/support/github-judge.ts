/** Hears every answer and webhook of the playground in this process, once, and keeps what GitHub would not do. */

import { subscribe } from 'node:diagnostics_channel';
import type { AnswerMade, WebhookMade } from '../../world/channels.ts';
import { judgeAnswer } from './openapi/judge-answer.ts';
import { judgeWebhook } from './openapi/judge-webhook.ts';

/** By route and field: one complaint of a kind is enough. */
const faults = new Map<string, string>();

// The names are written out: importing the playground here would load it for every test that has nothing to do with it.
subscribe('playground.answer', (made) => note(judgeAnswer(made as AnswerMade)));
subscribe('playground.webhook', (made) => note(judgeWebhook(made as WebhookMade)));

function note(verdict: string | null): void {
  if (verdict !== null) faults.set(verdict.replaceAll(/\d+/g, '').split(': ').slice(0, 2).join(), verdict);
}

/** What was found since this was last asked. */
export function faultsFound(): readonly string[] {
  const told = [...faults.values()];
  faults.clear();
  return told;
}
