/**
 * Receives every answer and webhook of the playground in this process once, and collects what GitHub would not send.
 */

import { subscribe } from 'node:diagnostics_channel';
import type { AnswerMade, WebhookMade } from '../../world/channels.ts';
import { judgeAnswer } from './openapi/judge-answer.ts';
import { judgeWebhook } from './openapi/judge-webhook.ts';

/** By route and field: one report of each kind is enough. */
const faults = new Map<string, string>();

// The channel names are written out: an import of the playground would load it for unrelated tests.
subscribe('playground.answer', (made) => note(judgeAnswer(made as AnswerMade)));
subscribe('playground.webhook', (made) => note(judgeWebhook(made as WebhookMade)));

function note(verdict: string | null): void {
  if (verdict !== null) faults.set(verdict.replaceAll(/\d+/g, '').split(': ').slice(0, 2).join(), verdict);
}

/** The faults found since the last call. */
export function faultsFound(): readonly string[] {
  const found = [...faults.values()];
  faults.clear();
  return found;
}
