// The content of a head in the simulation: one letter is one content, wherever it is pushed again.

import type { ChangeFacts } from '../../src/domain/facts.ts';
import { brandAs, type Digest, isTreeId, type Sha } from '../../src/domain/values.ts';
import { digestOf, toSha } from '../support/run-drafts.ts';
import { aChange } from '../support/run-facts.ts';

/** `x` does not parse, so it has no manifest to approve. */
export const CONTENTS = ['a', 'b', 'c', 'x'] as const;

export function commitOfContent(content: string): Sha {
  return toSha(`commit of ${content}`);
}

export function bodyFingerprint(body: number): Digest {
  return digestOf(`body ${body}`);
}

export function changeOfContent(content: string): Partial<ChangeFacts> {
  const trees = { ...aChange().trees, experiments: brandAs(toSha(`tree of ${content}`), isTreeId) };
  const headSha = commitOfContent(content);
  return content === 'x'
    ? { headSha, trees, delta: { kind: 'unparsable', side: 'head', line: 3, message: 'invalid syntax' } }
    : { headSha, trees };
}
