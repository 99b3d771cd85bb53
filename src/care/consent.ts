/** The one place where a recorded consent becomes a token that a cluster may be changed with. */

import { type ConsentToken, sealConsent } from '../domain/care/consent-seal.ts';
import { consentEndsAt } from '../domain/care/mutation-state.ts';
import { branded, isInstant } from '../domain/ids.ts';
import { fail, ok, type Result } from '../domain/result.ts';
import { type ConsentFacts, type ConsentFault, consentFault } from './verify-consent.ts';

/** The claim that the runner pushed just now: a token is minted for whoever pushed it, and for nobody else. */
export type OwnClaim = { readonly seq: number };

/**
 * Mints the token for a mutation that this very process has begun. Refused where anything of the consent does not hold
 * at this moment, also what held when it was begun. Whoever finds a claim of somebody else's gets none.
 */
export function mintConsent(
  facts: ConsentFacts,
  claim: OwnClaim,
): Result<ConsentToken, ConsentFault | { readonly code: 'not-begun'; readonly why: string }> {
  const { mutation } = facts;
  const begun = mutation?.begun ?? null;
  const consent = mutation?.consents.find(({ seq }) => seq === begun?.consent) ?? null;
  const fault = consentFault(facts, consent);
  if (fault !== null) return fail(fault);
  if (mutation === null || consent === null || begun === null || begun.seq !== claim.seq)
    return fail({ code: 'not-begun', why: 'the claim in the record is not this one' });
  const until = branded(consentEndsAt(consent), isInstant);
  return ok(sealConsent({ steps: mutation.proposal.steps, until }));
}
