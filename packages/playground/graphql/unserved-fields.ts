/**
 * Requested fields and arguments that are not served, reported with GitHub's messages, codes and paths for undefined
 * ones.
 */

import type { DocumentNode, GraphQLError, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import { Kind } from 'graphql';
import type { Json } from '../world/json.ts';

export type UnservedField = {
  /** `Type.field`, or `Type.field(argument)`. */
  readonly what: string;
  readonly error: Json;
};

/** Null for any other validation error. The names come from the messages of graphql-js. */
export function unservedField(document: DocumentNode, error: GraphQLError): UnservedField | null {
  const node = error.nodes?.[0];
  const place = {
    ...(node === undefined ? {} : { path: pathTo(document, node) }),
    locations: (error.locations ?? []).map(({ line, column }) => ({ line, column })),
  };
  const field = /^Cannot query field "(\w+)" on type "(\w+)"/.exec(error.message);
  if (field !== null) {
    const [, fieldName = '', typeName = ''] = field;
    const extensions = { code: 'undefinedField', typeName, fieldName };
    const message = `Field '${fieldName}' doesn't exist on type '${typeName}'`;
    return { what: `${typeName}.${fieldName}`, error: { ...place, extensions, message } };
  }
  const argument = /^Unknown argument "(\w+)" on field "(\w+)\.(\w+)"/.exec(error.message);
  if (argument === null) return null;
  const [, argumentName = '', typeName = '', name = ''] = argument;
  const extensions = { code: 'argumentNotAccepted', name, typeName: 'Field', argumentName };
  const message = `Field '${name}' doesn't accept argument '${argumentName}'`;
  return { what: `${typeName}.${name}(${argumentName})`, error: { ...place, extensions, message } };
}

/** Operation or fragment, then each field by its response name, as in GitHub's answers. */
function pathTo(document: DocumentNode, wanted: object): readonly string[] {
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      const found = findPathWithin(definition.selectionSet, wanted, [operationTitle(definition)]);
      if (found !== null) return found;
    } else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      const found = findPathWithin(definition.selectionSet, wanted, [`fragment ${definition.name.value}`]);
      if (found !== null) return found;
    }
  }
  return [];
}

function operationTitle({ operation, name }: OperationDefinitionNode): string {
  return name === undefined ? operation : `${operation} ${name.value}`;
}

function findPathWithin(set: SelectionSetNode, wanted: object, path: readonly string[]): readonly string[] | null {
  for (const one of set.selections) {
    if (one.kind === Kind.FRAGMENT_SPREAD) continue;
    if (one.kind === Kind.INLINE_FRAGMENT) {
      const type = one.typeCondition?.name.value;
      const found = findPathWithin(one.selectionSet, wanted, [...path, type === undefined ? '...' : `... on ${type}`]);
      if (found !== null) return found;
      continue;
    }
    const here = [...path, (one.alias ?? one.name).value];
    if (one === wanted) return here;
    const argument = one.arguments?.find((given) => given === wanted);
    if (argument !== undefined) return [...here, argument.name.value];
    const found = one.selectionSet === undefined ? null : findPathWithin(one.selectionSet, wanted, here);
    if (found !== null) return found;
  }
  return null;
}
