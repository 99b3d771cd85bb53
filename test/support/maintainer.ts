/** The maintainer of a lab on real time, who knows it by HTTP alone: the API with her token, and the playground's control. */

import { z } from 'zod';
import type { FaultKind } from '../../playground/faults/fault.ts';

export type Maintainer = {
  readonly dispatchDaily: () => Promise<void>;
  readonly comment: (thread: number, body: string) => Promise<void>;
  /** One request of `/_playground`; gives the answer's JSON. */
  readonly control: (method: string, path: string, body?: object) => Promise<unknown>;
  /** How often a fault struck so far. */
  readonly struck: (kind: FaultKind) => Promise<number>;
};

const people = z.array(z.object({ login: z.string(), token: z.string() }));
const faults = z.object({ struck: z.record(z.string(), z.number()) });

/** Finds her token at `origin`; whatever is no success, of any request, throws. */
export async function maintainerOf(origin: string): Promise<Maintainer> {
  const control: Maintainer['control'] = (method, path, body) =>
    request(method, `${origin}/_playground${path}`, {}, body);
  const mira = people.parse(await control('GET', '/people')).find(({ login }) => login === 'mira');
  if (mira === undefined) throw new Error('nobody here is called mira');
  const post = (path: string, body: object): Promise<unknown> =>
    request(
      'POST',
      `${origin}/api/v3/repos/lab/ferries${path}`,
      { authorization: `Bearer ${mira.token}` },
      body,
    );
  return {
    control,
    dispatchDaily: async () => {
      await post('/actions/workflows/ferrybot-daily.yml/dispatches', { ref: 'main' });
    },
    comment: async (thread, body) => {
      await post(`/issues/${thread}/comments`, { body });
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
