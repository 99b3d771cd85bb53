/** Tokens of an installation: held for as long as they are worth something, and never one of before a change. */

import { expect, it } from 'vitest';
import { installationTokens } from '../../../src/app/server/serve.ts';

const HOUR = 3_600_000;

/** GitHub, which answers when it is told to; `asked` counts what was minted. */
function github() {
  const waiting: (() => void)[] = [];
  const served = { asked: 0, isSlow: false };
  const request = async () => {
    served.asked += 1;
    const data = { token: `token-${served.asked}`, expires_at: new Date(HOUR).toISOString() };
    if (served.isSlow) await new Promise<void>((answer) => waiting.push(answer));
    return { data };
  };
  const app = { auth: async () => ({ request }) } as unknown as Parameters<typeof installationTokens>[0];
  return { app, served, answer: () => waiting.shift()?.() };
}

it('are minted once, and anew some minutes before their hour is over', async () => {
  const { app, served } = github();
  const tokens = installationTokens(app, 7);
  expect([await tokens.current(0), await tokens.current(HOUR / 2)]).toEqual(['token-1', 'token-1']);
  expect(await tokens.current(HOUR - 1_000)).toBe('token-2');
  expect(served.asked).toBe(2);
});

it('that were on their way while the permissions changed are not kept', async () => {
  const { app, served, answer } = github();
  const tokens = installationTokens(app, 7);
  served.isSlow = true;
  const before = tokens.current(0);
  await expect.poll(() => served.asked).toBe(1);
  tokens.forget();
  answer();
  expect(await before).toBe('token-1');
  served.isSlow = false;
  expect(await tokens.current(0)).toBe('token-2');
  expect(await tokens.current(0)).toBe('token-2');
});
