/** The digests that a consent binds to: of a proposal, and of the evidence that was shown with it. */

import type { MutationEvidence, MutationProposal } from '../domain/care/mutation.ts';
import type { Digest, DigestOf } from '../domain/ids.ts';
import { canonicalize } from '../logbook/canonical.ts';

/** SHA-256 of the proposal's canonical JSON (RFC 8785). */
export function proposalDigest(proposal: MutationProposal, digestOf: DigestOf): Digest {
  return digestOf(canonicalize(proposal));
}

/** SHA-256 of the evidence's canonical JSON (RFC 8785). */
export function evidenceDigest(evidence: MutationEvidence, digestOf: DigestOf): Digest {
  return digestOf(canonicalize(evidence));
}
