/**
 * The playground's GraphQL schema is a subset of GitHub's published one, and every query of ferrybot is valid
 * in it.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schema as published } from '@octokit/graphql-schema';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schemaText } from '../../../packages/playground/graphql/schema-text.ts';
import { ISSUE_FIRST_QUERY, THREAD_QUERY, THREADS_QUERY } from '../../../src/github/thread-schema.ts';

/**
 * Fields that GitHub has but the newest published schema (15.26.1) does not, with the client that queries
 * them.
 */
const LATER: Readonly<Record<string, string>> = { 'StatusContext.updatedAt': 'github/branch-deploy v12' };

let theirs: GraphQLSchema;
let ours: GraphQLSchema;
beforeAll(() => {
  theirs = buildSchema(published.idl, { assumeValid: true });
  ours = buildSchema(schemaText);
});

/** The parts of `type` that GitHub lacks or defines differently. */
function strays(type: GraphQLNamedType): readonly string[] {
  const known = theirs.getType(type.name);
  if (known === undefined) return [`${type.name}: GitHub has no such type`];
  if (known.constructor.name !== type.constructor.name) return [`${type.name}: another kind of type`];
  if (isEnumType(type) && isEnumType(known)) {
    return type.getValues().flatMap(({ name }) => (known.getValue(name) === undefined ? [`${type.name}.${name}`] : []));
  }
  if (isUnionType(type) && isUnionType(known)) {
    const members = known.getTypes().map(({ name }) => name);
    return type.getTypes().flatMap(({ name }) => (members.includes(name) ? [] : [`${type.name} | ${name}`]));
  }
  if (isInputObjectType(type) && isInputObjectType(known))
    return inputStrays(type.name, Object.values(type.getFields()), Object.values(known.getFields()));
  if ((isObjectType(type) || isInterfaceType(type)) && (isObjectType(known) || isInterfaceType(known))) {
    const faces = known.getInterfaces().map(({ name }) => name);
    const foreign = type
      .getInterfaces()
      .flatMap(({ name }) => (faces.includes(name) ? [] : [`${type.name} implements ${name}`]));
    const fields = Object.values(type.getFields()).flatMap((field) => {
      const other = known.getFields()[field.name];
      if (other === undefined)
        return `${type.name}.${field.name}` in LATER ? [] : [`${type.name}.${field.name}: GitHub has no such field`];
      const different =
        `${field.type}` === `${other.type}` ? [] : [`${type.name}.${field.name}: ${field.type}, GitHub ${other.type}`];
      return [...different, ...inputStrays(`${type.name}.${field.name}`, field.args, other.args)];
    });
    return [...foreign, ...fields];
  }
  return [];
}

/** Every argument must exist in GitHub's schema, and every required argument of GitHub must exist here. */
function inputStrays(
  where: string,
  own: readonly Pick<GraphQLArgument, 'name' | 'type'>[],
  known: readonly Pick<GraphQLArgument, 'name' | 'type'>[],
): readonly string[] {
  const wrong = own.flatMap((one) => {
    const other = known.find(({ name }) => name === one.name);
    if (other === undefined) return [`${where}(${one.name}): GitHub has no such argument`];
    return `${one.type}` === `${other.type}` ? [] : [`${where}(${one.name}): ${one.type}, GitHub ${other.type}`];
  });
  const lacking = known.filter(({ name, type }) => `${type}`.endsWith('!') && !own.some((one) => one.name === name));
  return [...wrong, ...lacking.map(({ name }) => `${where}(${name}) is demanded by GitHub`)];
}

describe('the GraphQL schema', () => {
  it('has only types, fields and arguments that GitHub has, with the same types', () => {
    const types = Object.values(ours.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
    expect(types.flatMap(strays)).toEqual([]);
    expect(types.length).toBeGreaterThan(50);
  });

  it('has no exception that the published schema contains by now', () => {
    const known = Object.keys(LATER).filter((name) => {
      const [typeName = '', fieldName = ''] = name.split('.');
      const type = theirs.getType(typeName);
      return isObjectType(type) && fieldName in type.getFields();
    });
    expect(known).toEqual([]);
  });

  it('would detect an invented field (so that these tests can fail)', () => {
    const made = buildSchema('type Query { viewer: User!, mood: String } type User { id: ID!, login: Int! }');
    expect(
      Object.values(made.getTypeMap())
        .filter(({ name }) => name === 'User' || name === 'Query')
        .flatMap(strays),
    ).toEqual(['Query.mood: GitHub has no such field', 'User.login: Int!, GitHub String!']);
  });

  it("accepts every query in src, and so does GitHub's", () => {
    const root = join(import.meta.dirname, '../../../src');
    // Trackers have their own queries, which are not sent to GitHub.
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('trackers/'),
    );
    const questions = files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/`\s*((?:query|mutation)\b[^`]*)`/g)].map((match) => ({
        file,
        text: match[1] ?? '',
      })),
    );
    const whole = [
      ...questions.filter(({ text }) => !text.includes('${')),
      ...Object.entries({ THREADS_QUERY, ISSUE_FIRST_QUERY, THREAD_QUERY }).map(([file, text]) => ({ file, text })),
    ];
    expect(whole.length).toBeGreaterThan(3);
    // GitHub allows two types of a union to return one name with different types.
    const rules = specifiedRules.filter(({ name }) => name !== 'OverlappingFieldsCanBeMergedRule');
    const wrong = whole.flatMap(({ file, text }) =>
      [theirs, ours].flatMap((schema) =>
        validate(schema, parse(text), rules).map(({ message }) => `${file}: ${message}`),
      ),
    );
    expect(wrong).toEqual([]);
  });
});
