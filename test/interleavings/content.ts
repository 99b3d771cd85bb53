// The content of a head in the simulation: one letter is one content, wherever it is pushed again.

import type { ChangeFacts } from '../../src/domain/facts.ts';
import { branded, type Digest, isTreeId, type Sha } from '../../src/domain/values.ts';
import { digestOf, shaOf } from '../support/run-drafts.ts';
import { aChange } from '../support/run-facts.ts';

/** `x` does not parse, so it has no manifest to approve. */
export const CONTENTS = ['a', 'b', 'c', 'x'] as const;

export function commitFor(content: string): Sha {
  return shaOf(`commit of ${content}`);
}

export function fingerprintOf(body: number): Digest {
  return digestOf(`body ${body}`);
}

export function changeFor(content: string): Partial<ChangeFacts> {
  const trees = { ...aChange().trees, experiments: branded(shaOf(`tree of ${content}`), isTreeId) };
  const headSha = commitFor(content);
  return content === 'x'
    ? { headSha, trees, delta: { kind: 'unparsable', side: 'head', line: 3, message: 'invalid syntax' } }
    : { headSha, trees };
}
