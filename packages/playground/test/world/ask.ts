/** Requests of the town's people to its repository, as they would send them, with what came back. */

import type { Person } from '../../world/seed.ts';
import type { Town } from './town.ts';

/** Whatever was answered: tests look at the fields that they ask for. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads an answer of unknown form, and a wrong guess fails it.
export type Told = any;

/** `UPLOAD` sends the text as a file; a path that begins with `//` is one of the API and not of the repository. */
export function askerOf(
  town: Town,
): (who: Person | { readonly token: string }, method: string, path: string, body?: unknown) => Promise<Told> {
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

/** The webhooks' names that the town tells from now on: `release published`. */
export function heardIn({ world }: Town): readonly string[] {
  const heard: string[] = [];
  world.bus.subscribe(({ type, action }) => void heard.push(action === null ? type : `${type} ${action}`));
  return heard;
}
