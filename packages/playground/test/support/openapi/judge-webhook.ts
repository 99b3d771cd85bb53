/** Judges one webhook of the playground by GitHub's description of its payloads. */

import type { WebhookMade } from '../../../world/channels.ts';
import { type Judge, openJudge, type Verdict } from './judge.ts';

let judge: Judge | null = null;

/** Event and field of a difference to GitHub's description, or null. */
export function judgeWebhook({ event, action, text }: WebhookMade): Verdict {
  judge ??= openJudge('webhooks', 'payloads');
  // The sender of a repository_dispatch chooses its action; GitHub describes it with one sample.
  const name =
    event === 'repository_dispatch' ? 'repository_dispatch.sample.collected' : [event, action ?? []].flat().join('.');
  const schema = judge.table[name];
  if (schema === undefined) return `${name} is no webhook of GitHub`;
  const verdict = judge.check(name, schema, JSON.parse(text));
  return verdict === null ? null : `${name}: ${verdict}`;
}
