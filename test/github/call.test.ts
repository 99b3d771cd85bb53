/** How GitHub’s refusals are classified: a rate limit is not a judgement of the request, with any headers. */

import { expect, it } from 'vitest';
import {
  type CallOutcome,
  call,
  createClient,
  REQUEST_LIMIT_WAIT_MS,
  REQUEST_TRIES_MAX,
} from '../../src/github/call.ts';

const ROUTE = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';

/** A dispatch with these answers in turn; returns the outcome and the waiting times. */
async function dispatched(
  ...answers: readonly { status: number; message: string; headers?: Readonly<Record<string, string>> }[]
): Promise<{ outcome: CallOutcome; waitedMs: readonly number[]; asked: number }> {
  const waitedMs: number[] = [];
  let asked = 0;
  const client = createClient({
    octokit: {
      request: async () => {
        const answer = answers[asked];
        asked += 1;
        if (answer === undefined) return { status: 204, data: undefined, headers: {} };
        const { status, message, headers = {} } = answer;
        throw Object.assign(new Error(message), { name: 'HttpError', status, response: { headers } });
      },
    },
    owner: 'lab',
    repo: 'train',
    baseUrl: 'https://api.github.com',
    sleep: async (ms) => void waitedMs.push(ms),
    now: () => 1_000_000,
  });
  return { outcome: await call(client, ROUTE), waitedMs, asked };
}

const SECONDARY = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';

it('a secondary limit without a header is waited for one minute, and is no refusal', async () => {
  const headers = { 'x-ratelimit-remaining': '4812', 'x-ratelimit-reset': '4600' };
  const once = await dispatched({ status: 403, message: SECONDARY, headers });
  expect(once).toMatchObject({ outcome: { kind: 'answered' }, waitedMs: [REQUEST_LIMIT_WAIT_MS] });
  const always = await dispatched(...Array.from({ length: 9 }, () => ({ status: 403, message: SECONDARY })));
  expect(always).toMatchObject({ outcome: { kind: 'unknown' }, asked: REQUEST_TRIES_MAX });
});

it('a limit with a waiting time is waited for exactly; a long one is left for a later call', async () => {
  const soon = await dispatched({ status: 429, message: 'slow', headers: { 'retry-after': '7' } });
  expect(soon.waitedMs).toEqual([7_000]);
  const spent = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1030' };
  const primary = await dispatched({ status: 403, message: 'API rate limit exceeded', headers: spent });
  expect(primary.waitedMs).toEqual([30_000]);
  const late = await dispatched({ status: 403, message: 'x', headers: { 'retry-after': '3600' } });
  expect(late).toMatchObject({ outcome: { kind: 'unknown' }, waitedMs: [], asked: 1 });
});

it('a refusal is final immediately, and a write without an answer is not repeated', async () => {
  const refused = await dispatched({ status: 403, message: 'Resource not accessible by integration' });
  expect(refused).toMatchObject({ outcome: { kind: 'refused', status: 403 }, asked: 1 });
  expect(await dispatched({ status: 502, message: 'Bad gateway' })).toMatchObject({
    outcome: { kind: 'unknown' },
    asked: 1,
  });
});
