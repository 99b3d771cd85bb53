/** Who may be spoken for on the page: the seeded people, with the tokens that the playground gives to its own page. */
import * as z from 'zod';
import type { Api } from './api/api.ts';

const personShape = z.object({
  login: z.string(),
  token: z.string(),
  role: z.string().nullish(),
  name: z.string().nullish(),
});

/** What a person is in the example lab. */
export type Role = 'maintainer' | 'author' | 'reader' | 'stranger';

export type Person = {
  readonly login: string;
  readonly token: string;
  readonly role: Role;
  readonly name: string | null;
};

/** Reads `GET /_playground/people`; a refusal throws, because without people there is no page. */
export async function readPeople(api: Api): Promise<readonly Person[]> {
  const answer = await api.get(
    '/_playground/people',
    z.union([z.array(personShape), z.object({ people: z.array(personShape) })]),
  );
  if (answer.kind === 'refused')
    throw new Error(`the playground told no people: ${answer.status} ${answer.message}`);
  const people = Array.isArray(answer.data) ? answer.data : answer.data.people;
  return people.map(({ login, token, role, name }) => ({
    login,
    token,
    role: castRole(role),
    name: name ?? null,
  }));
}

/** The person whom the cookie names, else the first one (the maintainer). */
export function speakerOf(people: readonly Person[], login: string | null): Person {
  const speaker = people.find((person) => person.login === login) ?? people[0];
  if (speaker === undefined) throw new Error('the playground has no people to speak for');
  return speaker;
}

/** GitHub's role names (of the collaborator endpoint) as parts in the example lab; none at all is a stranger. */
function castRole(role: string | null | undefined): Role {
  switch (role) {
    case 'admin':
    case 'maintain':
    case 'maintainer':
      return 'maintainer';
    case 'write':
    case 'author':
      return 'author';
    case 'triage':
    case 'read':
    case 'reader':
      return 'reader';
    default:
      return 'stranger';
  }
}
