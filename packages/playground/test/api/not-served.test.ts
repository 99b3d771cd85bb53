/**
 * Operations that are not served get GitHub's error or a refusal by name, and are recorded, so that silence is never
 * taken for an answer.
 */

import { describe, expect, it } from 'vitest';
import { createTown, type Town } from '../world/town.ts';

async function sent(town: Town, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await town.world.fetch(
    new Request(`http://github.test${path}`, {
      method,
      headers: { authorization: `Bearer ${town.seeded.tokens.mira}`, 'user-agent': 'test' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const read: unknown = await answer.json();
  return { httpStatus: answer.status, ...Object(read) };
}

const graphql = (town: Town, query: string) => sent(town, 'POST', '/api/graphql', { query });

describe('a GraphQL query', () => {
  it('for a field that is not served gets GitHub’s code, names and path', async () => {
    const town = createTown();
    const query = 'query Look { repository(owner: "lab", name: "ferries") { id here: packages { totalCount } } }';
    expect(await graphql(town, query)).toEqual({
      httpStatus: 200,
      errors: [
        {
          path: ['query Look', 'repository', 'here'],
          extensions: { code: 'undefinedField', typeName: 'Repository', fieldName: 'packages' },
          locations: [{ line: 1, column: 61 }],
          message: "Field 'packages' doesn't exist on type 'Repository'",
        },
      ],
    });
    expect(town.world.state.unserved).toMatchObject([{ method: 'GRAPHQL', path: 'Repository.packages' }]);
  });

  it('reports unserved fields in fragments and unserved arguments', async () => {
    const town = createTown();
    const query =
      '{ repository(owner: "lab", name: "ferries") { ...R ... on Repository { mood } issues(first: 1, colour: "red") { totalCount } } } fragment R on Repository { weather }';
    const { errors } = await graphql(town, query);
    expect(errors).toMatchObject([
      { path: ['query', 'repository', '... on Repository', 'mood'], extensions: { code: 'undefinedField' } },
      {
        path: ['query', 'repository', 'issues', 'colour'],
        extensions: { code: 'argumentNotAccepted', name: 'issues', typeName: 'Field', argumentName: 'colour' },
        message: "Field 'issues' doesn't accept argument 'colour'",
      },
      { path: ['fragment R', 'weather'] },
    ]);
    expect(town.world.state.unserved.map(({ path }) => path)).toEqual([
      'Repository.mood',
      'Repository.issues(colour)',
      'Repository.weather',
    ]);
  });

  it('with a syntax error gets an error, and nothing is recorded as unserved', async () => {
    const town = createTown();
    expect(await graphql(town, '{ repository(')).toMatchObject({ errors: [{ locations: expect.anything() }] });
    expect(town.world.state.unserved).toEqual([]);
  });
});

describe('an operation of GitHub whose path ends in a path of any length', () => {
  it.each([
    '/repos/lab/ferries/tarball/main',
    '/repos/lab/ferries/zipball/refs/heads/main',
    '/repos/lab/ferries/dependency-graph/compare/main...ferry',
  ])('is refused with 501 and recorded: %s', async (path) => {
    const town = createTown();
    expect(await sent(town, 'GET', `/api/v3${path}`)).toMatchObject({ httpStatus: 501 });
    expect(town.world.state.unserved).toMatchObject([{ method: 'GET', path: `/api/v3${path}` }]);
  });
});

it('puts the status into the body of a validation error', async () => {
  const town = createTown();
  const made = await sent(town, 'POST', '/api/v3/repos/lab/ferries/issues', { body: 'without a title' });
  expect(made).toMatchObject({ httpStatus: 422, status: '422' });
});
