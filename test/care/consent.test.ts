/**
 * The conditions of a consent: every fault that it may have, and a token that is valid only for its own
 * steps.
 */

import { describe, expect, it } from 'vitest';
import { mintAction } from '../../src/actions/mint.ts';
import { type ActionFacts, findActionFault } from '../../src/actions/verify-action.ts';
import type { ActionRecord } from '../../src/domain/actions/action.ts';
import { type Capability, CapabilityError, spendCapability } from '../../src/domain/actions/capability.ts';
import { brandAs, isSha, known, addMs as moved, toRfc3339, unknown } from '../../src/domain/values.ts';
import {
  aConsentComment,
  anActionRecord,
  aProposal,
  at,
  BARE,
  COMMAND,
  digestOf,
  mira,
  someActionFacts,
} from './consent-parts.ts';

const CLAIM = { seq: 22 };

function tokenOf(change: Partial<ActionFacts> = {}): Capability {
  const minted = mintAction(someActionFacts(change), CLAIM);
  if (!minted.ok) throw new Error(minted.error.code);
  return minted.value;
}

const configConsent = (change: Partial<ActionRecord> = {}): ActionRecord =>
  anActionRecord({
    approvals: [
      {
        source: { kind: 'config', commit: brandAs('a'.repeat(40), isSha) },
        actor: null,
        at: toRfc3339(at(10)),
        seq: 21,
      },
    ],
    ...change,
  });

/** The change, and the fault that reports it. */
const FAULTS: readonly (readonly [why: string, code: string, change: Partial<ActionFacts>])[] = [
  ['the record does not contain it', 'not-proposed', { action: null }],
  ['it is for another repository', 'other-repository', { repository: 'lab/others' }],
  ['it is in the record of another run', 'other-record', { record: 'ferry-daily-20261122' }],
  [
    'its target does not match its digest',
    'proposal-forged',
    { action: anActionRecord({ proposal: aProposal({ cluster: 'us-east5' }) }) },
  ],
  [
    'its evidence does not match its digest',
    'proposal-forged',
    { action: anActionRecord({ evidence: { facts: {}, lines: [] } }) },
  ],
  [
    'the proposal has ended',
    'already-over',
    {
      action: anActionRecord({
        ended: {
          proposal: anActionRecord().digest,
          outcome: 'done',
          code: 'replaced',
          detail: {},
          at: toRfc3339(at(11)),
          seq: 23,
        },
      }),
    },
  ],
  ['it is older than an approval may be', 'approval-outdated', { now: at(70) }],
  [
    'it was recorded long after it was written',
    'approval-outdated',
    {
      action: anActionRecord({
        approvals: anActionRecord().approvals.map((one) => ({ ...one, at: toRfc3339(at(65)) })),
      }),
      now: at(70),
    },
  ],
  [
    'a person holds the run',
    'held',
    { holds: known([{ scope: 'run', lane: null, reason: 'wait', date: null, actor: mira, at: toRfc3339(at(11)) }]) },
  ],
  [
    'a person asked to stop in the thread and has no answer',
    'stop-requested',
    { brakes: known([{ name: 'stop', login: 'noah', thread: 7 }]) },
  ],
  ['the threads cannot be read', 'unreadable', { brakes: unknown('GitHub is away') }],
  ['the holds cannot be read', 'unreadable', { holds: unknown('the journal is broken') }],
  ['the comment was deleted', 'approval-invalid', { cited: known(null) }],
  ['the comment cannot be read', 'unreadable', { cited: unknown('502') }],
  ['it is another comment', 'approval-invalid', { cited: known(aConsentComment({ id: 901 })) }],
  ['it is in another thread', 'approval-invalid', { cited: known(aConsentComment({ thread: 13 })) }],
  [
    'another person wrote it',
    'approval-invalid',
    { cited: known(aConsentComment({ author: { id: 8, login: 'sol' } })) },
  ],
  ['a bot account wrote it', 'approval-invalid', { cited: known(aConsentComment({ authorIsBot: true })) }],
  ['it was edited', 'approval-invalid', { cited: known(aConsentComment({ editedAt: at(11) })) }],
  ['its text has changed', 'approval-invalid', { cited: known(aConsentComment({ body: `${COMMAND} ` })) }],
  ['it was hidden', 'approval-invalid', { cited: known(aConsentComment({ minimized: true })) }],
  ['it names another digest', 'approval-invalid', { ...saying(`${BARE} ${'0'.repeat(32)}`) }],
  ['it names no digest', 'approval-invalid', { ...saying(BARE) }],
  [
    'it names only twelve digits of the digest',
    'approval-invalid',
    { ...saying(`${BARE} ${anActionRecord().digest.slice(7, 19)}`) },
  ],
  ['it names only 31 digits of the digest', 'approval-invalid', { ...saying(COMMAND.slice(0, -1)) }],
  [
    'it was written before the proposal, even if the record gives a later time',
    'approval-outdated',
    { cited: known(aConsentComment({ createdAt: at(-1) })) },
  ],
  [
    'it was written too long ago, even if the record gives a later time',
    'approval-outdated',
    {
      action: anActionRecord({
        approvals: anActionRecord()
          .approvals.map((one) => ({ ...one, at: toRfc3339(at(65)) }))
          .map((one) => ({ ...one, source: { ...one.source, writtenAt: toRfc3339(at(65)) } as typeof one.source })),
      }),
      now: at(71),
    },
  ],
  ['the proposal was never shown', 'approval-outdated', { shownSince: known(null) }],
  ['the proposal was shown after it was written', 'approval-outdated', { shownSince: known(at(11)) }],
  ['whether the proposal was shown cannot be read', 'unreadable', { shownSince: unknown('502') }],
  [
    'a person stopped the run afterwards',
    'stop-requested',
    { stop: { actor: mira, at: toRfc3339(at(11)), comment: 901, seq: 22 } },
  ],
  ['it only quotes the command', 'approval-invalid', { ...saying(`> ${COMMAND}`) }],
  ['it is a command for something else', 'approval-invalid', { ...saying('/approve-launch') }],
  ['its author no longer has the permission', 'approver-not-permitted', { permission: known('write') }],
  ['the permission of its author cannot be read', 'unreadable', { permission: unknown('502') }],
  ['the config no longer contains the approval', 'not-pre-approved', { action: configConsent() }],
  [
    'the maximum number of actions approved in the config is reached',
    'pre-approval-used-up',
    { action: configConsent(), preApproval: { isInForce: true, used: 2, max: 2 } },
  ],
];

/** The facts with a consent that was written and recorded with this text. */
function saying(body: string): Partial<ActionFacts> {
  const consents = anActionRecord().approvals.map((one) => ({
    ...one,
    source: { ...one.source, bodyDigest: digestOf(body) },
  }));
  return { cited: known(aConsentComment({ body })), action: anActionRecord({ approvals: consents }) };
}

describe('a consent is not valid if', () => {
  // rule ML-02
  it.each(FAULTS)('%s: %s', (_, code, change) => {
    const asked = someActionFacts(change);
    const consent = asked.action?.approvals.at(-1) ?? null;
    expect(findActionFault(asked, consent)?.code).toBe(code);
    expect(mintAction(asked, CLAIM)).toMatchObject({ ok: false, error: { code } });
  });

  it('it does not exist: no-consent', () => {
    const action = anActionRecord({ approvals: [], claim: null });
    expect(findActionFault(someActionFacts({ action }), null)?.code).toBe('no-consent');
  });
});

describe('the age of a consent, if approvals are valid for an hour,', () => {
  const end = at(70);
  it.each([
    ['60 minutes less a millisecond', -1, null],
    ['60 minutes', 0, 'approval-outdated'],
    ['60 minutes and a millisecond', 1, 'approval-outdated'],
  ])('counts from when it was written: %s later', (_, laterMs, code) => {
    const asked = someActionFacts({ now: moved(end, laterMs) });
    expect(findActionFault(asked, asked.action?.approvals.at(-1) ?? null)?.code ?? null).toBe(code);
  });

  it('is not extended by a clock that runs ahead', () => {
    const consents = anActionRecord().approvals.map((one) => ({
      ...one,
      source: { ...one.source, writtenAt: toRfc3339(at(600)) },
    }));
    const asked = someActionFacts({ action: anActionRecord({ approvals: consents }), now: end });
    expect(mintAction(asked, CLAIM)).toMatchObject({ ok: false, error: { code: 'approval-outdated' } });
  });

  it('is exceeded if the time cannot be read', () => {
    const consents = anActionRecord().approvals.map((one) => ({ ...one, at: 'yesterday' }));
    expect(mintAction(someActionFacts({ action: anActionRecord({ approvals: consents }) }), CLAIM)).toMatchObject({
      ok: false,
      error: { code: 'approval-outdated' },
    });
  });
});

describe('a comment is no consent', () => {
  it.each([
    ['as an approval of a launch', COMMAND.replace('/approve', '/approve-launch')],
    ['with words after it', `${COMMAND} please`],
    ['with a shell command after it', `${COMMAND};reboot`],
    ['in look-alike letters', COMMAND.replace('a', 'а')],
    ['with an invisible character', `${COMMAND}\u200b`],
    ['in a code block', `\`\`\`\n${COMMAND}\n\`\`\``],
    ['in a code span', `\`${COMMAND}\``],
    ['in a list', `- ${COMMAND}`],
    ['in an HTML comment', `<!--\n${COMMAND}\n-->`],
    ['in a collapsed details element', `<details>\n${COMMAND}\n</details>`],
    ['in the middle of a sentence', `please ${COMMAND}`],
    ['struck through', `~~${COMMAND}~~`],
    ['with a digest of eleven digits', `${BARE} ${anActionRecord().digest.slice(7, 18)}`],
    ['with a similar digest', `${BARE} ${anActionRecord().digest.slice(7, 18)}x`],
  ])('%s', (_, body) => {
    expect(mintAction(someActionFacts(saying(body)), CLAIM)).toMatchObject({
      ok: false,
      error: { code: 'approval-invalid' },
    });
  });
});

describe('a token', () => {
  it('is minted if every condition holds, for a comment and for the config', () => {
    expect(mintAction(someActionFacts(), CLAIM).ok).toBe(true);
    const preApproval = { isInForce: true, used: 1, max: 2 };
    expect(mintAction(someActionFacts({ action: configConsent(), preApproval }), CLAIM).ok).toBe(true);
  });

  it('accepts the whole digest in the comment, in upper or lower case', () => {
    expect(
      mintAction(someActionFacts(saying(`${BARE} ${anActionRecord().digest.slice(7).toUpperCase()}`)), CLAIM).ok,
    ).toBe(true);
  });

  it.each([
    ['before the claim was pushed', anActionRecord({ claim: null }), CLAIM],
    ['for the claim of another process', anActionRecord(), { seq: 23 }],
  ])('is not minted %s', (_, action, claim) => {
    expect(mintAction(someActionFacts({ action }), claim).ok).toBe(false);
  });

  const [step] = aProposal().steps;
  if (step === undefined) throw new Error('no step');

  it('permits its step once', () => {
    const token = tokenOf();
    spendCapability({ capability: token, now: at(12) }, step);
    expect(() => spendCapability({ capability: token, now: at(12) }, step)).toThrow(CapabilityError);
  });

  it.each([
    ['another machine', { ...step, command: step.command.map((a) => a.replace('7c21', '8d32')) }],
    ['an additional argument', { ...step, command: [...step.command, '--async'] }],
    ['another kind of change', { ...step, kind: 'init-worker' } as const],
  ])('permits no other step: %s', (_, other) => {
    const token = tokenOf();
    expect(() => spendCapability({ capability: token, now: at(12) }, other)).toThrow(CapabilityError);
    spendCapability({ capability: token, now: at(12) }, step);
  });

  it('expires an hour after it was minted', () => {
    expect(() => spendCapability({ capability: tokenOf(), now: at(72) }, step)).toThrow(CapabilityError);
  });

  it('is worthless as a copy or serialized', () => {
    const token = tokenOf();
    for (const forged of [{ ...token }, structuredClone(token), JSON.parse(JSON.stringify(token))])
      expect(() => spendCapability({ capability: forged as Capability, now: at(12) }, step)).toThrow(CapabilityError);
  });
});
