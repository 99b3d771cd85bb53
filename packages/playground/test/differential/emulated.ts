/** One request sequence on the playground and on `emulate` 0.12.2, an independent emulator. */

import { Octokit } from '@octokit/core';
import { createEmulator, type Emulator } from 'emulate';
import { createTown } from '../world/town.ts';

type Fact = Readonly<Record<string, unknown>> | string | number;
/** `ask` as ada, who has write access; `other` as ravi, who has none. */
export type Step = (ask: Ask, other: Ask) => Promise<readonly Fact[]>;
/** One request; a refusal is its status and message. */
export type Ask = (
  route: string,
  body?: Readonly<Record<string, unknown>>,
) => Promise<{ readonly status: number; readonly data: Answer }>;
type Answer = { readonly [key: string]: Answer } & {
  readonly sha: string;
  readonly number: number;
  readonly id: number;
};

/** A lab's App: its key, its permissions, and its webhook address. */
export type EmulatedApp = {
  readonly app_id: number;
  readonly slug: string;
  readonly name: string;
  readonly private_key: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly webhook_url: string;
  readonly webhook_secret: string;
  readonly installations: readonly { readonly installation_id: number; readonly account: string }[];
};

/** The other emulator with the same people: ada owns the repository there, ravi has no role. */
export function startEmulator(apps: readonly EmulatedApp[] = []): Promise<Emulator> {
  return createEmulator({
    service: 'github',
    port: 0,
    seed: {
      tokens: {
        ada_token: { login: 'ada', scopes: ['repo', 'user'] },
        ravi_token: { login: 'ravi', scopes: ['repo', 'user'] },
      },
      github: {
        users: [
          { login: 'ada', name: 'Ada Lindqvist', email: 'ada@lab.example' },
          { login: 'ravi', name: 'Ravi Menon', email: 'ravi@lab.example' },
        ],
        repos: [{ owner: 'ada', name: 'ferries', auto_init: true }],
        ...(apps.length === 0 ? {} : { apps }),
      },
    },
  });
}

/** One request as one person; a refusal is its status and answer. */
export function askWith(octokit: Octokit, owner: string): Ask {
  const ask = async (
    route: string,
    body: Readonly<Record<string, unknown>>,
    tries: number,
  ): Promise<Awaited<ReturnType<Ask>>> => {
    try {
      const { status, data } = await octokit.request(route, { owner, repo: 'ferries', ...body });
      return { status, data };
    } catch (error) {
      if (!(error instanceof Error) || !('status' in error)) throw error;
      const response = 'response' in error ? error.response : undefined;
      if (response !== undefined) return { status: Number(error.status), data: Object(response).data };
      // No answer: the other emulator closed a connection that had been idle for five seconds.
      if (tries === 0) throw error;
      return ask(route, body, tries - 1);
    }
  };
  return (route, body = {}) => ask(route, body, 2);
}

export async function both(
  emulator: Emulator,
  step: Step,
): Promise<{ readonly ours: readonly Fact[]; readonly theirs: readonly Fact[] }> {
  const town = createTown();
  await town.commit('main', { 'README.md': '# ferries\n' });
  const { ada, ravi } = town.seeded.tokens;
  const ours = await step(askWith(town.as(ada), 'lab'), askWith(town.as(ravi), 'lab'));
  const at = (auth: string): Ask => askWith(new Octokit({ baseUrl: emulator.url, auth }), 'ada');
  const theirs = await step(at('ada_token'), at('ravi_token'));
  return { ours, theirs };
}
