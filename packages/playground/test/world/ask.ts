/** Requests of the town's people to its repository, with the answers. */

import type { Person } from '../../world/seed.ts';
import type { Town } from './town.ts';

/** Any answer: tests check only the fields that they need. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads an answer of unknown form, and a wrong guess fails it.
export type JsonAnswer = any;

/** `UPLOAD` sends the text as a file; a path that starts with `//` is relative to the API, not to the repository. */
export function createAsker(
  town: Town,
): (who: Person | { readonly token: string }, method: string, path: string, body?: unknown) => Promise<JsonAnswer> {
  return async (who, method, path, body) => {
    const isUpload = method === 'UPLOAD';
    const token = typeof who === 'string' ? town.seeded.tokens[who] : who.token;
    const place = path.startsWith('//') ? path.slice(1) : `/repos/lab/ferries${path}`;
    const answer = await town.world.fetch(
      new Request(`http://github.test/api/${isUpload ? 'uploads' : 'v3'}${place}`, {
        method: isUpload ? 'POST' : method,
        headers: {
          authorization: `Bearer ${token}`,
          'user-agent': 'test',
          ...(isUpload ? { 'content-type': 'text/plain' } : {}),
        },
        ...(body === undefined ? {} : { body: isUpload ? String(body) : JSON.stringify(body) }),
      }),
    );
    const text = await answer.text();
    const read: unknown = text === '' ? {} : JSON.parse(text);
    return Array.isArray(read) ? read : { httpStatus: answer.status, ...Object(read) };
  };
}

/** Collects the names of the town's webhooks from now on: `release published`. */
export function listReceived({ world }: Town): readonly string[] {
  const emitted: string[] = [];
  world.bus.subscribe(({ type, action }) => void emitted.push(action === null ? type : `${type} ${action}`));
  return emitted;
}
