/**
 * GitHub's published example payloads: the judge accepts the recent ones unchanged, so it requires no more than GitHub
 * sends.
 */

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { judgeWebhook } from '../support/openapi/judge-webhook.ts';

const examples = z
  .array(z.object({ name: z.string(), examples: z.array(z.looseObject({ action: z.string().optional() })) }))
  .parse(createRequire(import.meta.url)('@octokit/webhooks-examples'));

/** The other examples are older than the description and lack fields that it now requires. */
const recent = ['create', 'delete', 'workflow_job', 'issues', 'issue_comment', 'check_suite'];

describe('the published examples', () => {
  it.each(recent)('of %s fit the description', (event) => {
    const payloads = examples.find(({ name }) => name === event)?.examples ?? [];
    const verdicts = payloads.flatMap((payload) => {
      const action = payload.action ?? null;
      const verdict = judgeWebhook({ event, action, text: JSON.stringify(payload) });
      return verdict?.endsWith('no webhook of GitHub') === true ? [] : [verdict];
    });
    const fitting = verdicts.filter((verdict) => verdict === null);
    expect(fitting.length).toBeGreaterThanOrEqual(4);
    for (const verdict of verdicts)
      expect(verdict ?? 'must have required property').toContain('must have required property');
  });
});
