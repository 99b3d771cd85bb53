/** An error in a GraphQL answer, with GitHub's `type` and a message. */

import { GraphQLError } from 'graphql';

export type FaultType = 'NOT_FOUND' | 'FORBIDDEN' | 'UNPROCESSABLE' | 'STALE_DATA' | 'MISSING_PAGINATION_BOUNDARIES';

/** Thrown by resolvers: graphql-js puts an expected refusal into `errors` and does not crash. */
export function graphqlFault(type: FaultType, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}
