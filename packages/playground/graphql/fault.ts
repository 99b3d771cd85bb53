/** An error inside a GraphQL answer, with GitHub's `type` beside the message. */

import { GraphQLError } from 'graphql';

export type FaultType =
  | 'NOT_FOUND'
  | 'FORBIDDEN'
  | 'UNPROCESSABLE'
  | 'STALE_DATA'
  | 'MISSING_PAGINATION_BOUNDARIES';

/** Thrown by resolvers: it is how graphql-js learns of an expected refusal, and it ends in `errors`, not in a crash. */
export function fault(type: FaultType, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}
