/** The people that a visitor can act as: the seeded ones, with the tokens that the playground gives to its own page. */
import * as z from 'zod';
import type { Api } from './api/api.ts';

const personShape = z.object({
  login: z.string(),
  token: z.string(),
  role: z.enum(['maintainer', 'author', 'reader', 'stranger']),
  name: z.string().nullish(),
});

/** A person's function in the example lab. */
export type Role = 'maintainer' | 'author' | 'reader' | 'stranger';

export type Person = {
  readonly login: string;
  readonly token: string;
  readonly role: Role;
  readonly name: string | null;
};

/** Reads `GET /_playground/people`. A refusal throws, because the page needs people. */
export async function readPeople(api: Api): Promise<readonly Person[]> {
  const answer = await api.get('/_playground/people', z.array(personShape));
  if (answer.kind === 'refused') throw new Error(`the playground told no people: ${answer.status} ${answer.message}`);
  return answer.data.map(({ login, token, role, name }) => ({ login, token, role, name: name ?? null }));
}

/** The person in the cookie, by default a maintainer: the first visitor runs the lab. */
export function findSpeaker(people: readonly Person[], login: string | null): Person {
  const speaker =
    people.find((person) => person.login === login) ?? people.find(({ role }) => role === 'maintainer') ?? people[0];
  if (speaker === undefined) throw new Error('the playground has no people to speak for');
  return speaker;
}
