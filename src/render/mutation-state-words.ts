/** How a proposed change of the cluster stands, in one cell. */

import type { MutationRecord } from '../domain/care/mutation-state.ts';
import { code, person, text, utc } from './words.ts';

/** Proposed, consented to, under way, or over with what came of it. */
export function mutationState({ consents, begun, ended }: MutationRecord): string {
  if (ended !== null) return `${text(ended.outcome)}: ${code(ended.code)}, ${utc(ended.at)}`;
  if (begun !== null) return `under way since ${utc(begun.at)}`;
  const last = consents.at(-1);
  if (last === undefined) return 'waits for a consent';
  return last.actor === null
    ? `consented by the config, ${utc(last.at)}`
    : `consented by ${person(last.actor)}, ${utc(last.at)}`;
}
