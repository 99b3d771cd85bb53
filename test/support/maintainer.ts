/**
 * The maintainer of a lab on real time, who uses only HTTP: the API with her token, and the playground's
 * control API.
 */

import { z } from 'zod';
import type { OpenedLab } from '../../demo/open-lab.ts';
import type { FaultKind } from '../../packages/playground/faults/fault.ts';

export type Maintainer = {
  readonly dispatchDaily: () => Promise<void>;
  readonly comment: (thread: number, body: string) => Promise<void>;
  /**
   * States the objective of the day's ferry as a colleague, who then is the requester and may not approve.
   */
  readonly answer: (thread: number) => Promise<void>;
  /** One request of `/_playground`; returns the response's JSON. */
  readonly control: (method: string, path: string, body?: object) => Promise<unknown>;
  /** How often a fault struck so far. */
  readonly struck: (kind: FaultKind) => Promise<number>;
};

const people = z.array(z.object({ login: z.string(), token: z.string() }));
const faults = z.object({ struck: z.record(z.string(), z.number()) });

/** Finds her token through the lab's control API; throws for every unsuccessful request. */
export async function createMaintainer({ origin, secret }: Pick<OpenedLab, 'origin' | 'secret'>): Promise<Maintainer> {
  const control: Maintainer['control'] = (method, path, body) =>
    request(method, `${origin}/_playground${path}`, { authorization: `Bearer ${secret}` }, body);
  const here = people.parse(await control('GET', '/people'));
  const post = (path: string, body: object, who = 'mira'): Promise<unknown> => {
    const person = here.find(({ login }) => login === who);
    if (person === undefined) throw new Error(`nobody here is called ${who}`);
    const headers = { authorization: `Bearer ${person.token}` };
    return request('POST', `${origin}/api/v3/repos/lab/ferries${path}`, headers, body);
  };
  return {
    control,
    dispatchDaily: async () => {
      await post('/actions/workflows/ferrybot-daily.yml/dispatches', { ref: 'main' });
    },
    comment: async (thread, body) => {
      await post(`/issues/${thread}/comments`, { body });
    },
    answer: async (thread) => {
      await post(`/issues/${thread}/comments`, { body: '/propose objective="integration"' }, 'ada');
    },
    struck: async (kind) => faults.parse(await control('GET', '/faults')).struck[kind] ?? 0,
  };
}

async function request(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'npm-run-faults' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}
