/** What a consent takes: everything that may be wrong with one, and a token that is good for its own steps alone. */

import { describe, expect, it } from 'vitest';
import { mintConsent } from '../../src/actions/mint.ts';
import { type ConsentFacts, consentFault } from '../../src/actions/verify-consent.ts';
import { type Capability, CapabilityError, spendCapability } from '../../src/domain/actions/capability.ts';
import type { MutationRecord } from '../../src/domain/care/mutation-state.ts';
import { branded, isSha } from '../../src/domain/ids.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { after as moved, toRfc3339 } from '../../src/domain/time.ts';
import { at, BARE, COMMAND, comment, digestOf, facts, mira, proposal, record } from './consent-parts.ts';

const CLAIM = { seq: 22 };

function tokenOf(change: Partial<ConsentFacts> = {}): Capability {
  const minted = mintConsent(facts(change), CLAIM);
  if (!minted.ok) throw new Error(minted.error.code);
  return minted.value;
}

const configConsent = (change: Partial<MutationRecord> = {}): MutationRecord =>
  record({
    consents: [
      {
        source: { kind: 'config', commit: branded('a'.repeat(40), isSha) },
        actor: null,
        at: toRfc3339(at(10)),
        seq: 21,
      },
    ],
    ...change,
  });

/** What was changed, and the fault that says so. */
const FAULTS: readonly (readonly [why: string, code: string, change: Partial<ConsentFacts>])[] = [
  ['nothing of it is in the record', 'not-proposed', { mutation: null }],
  ['it is for another repository', 'other-repository', { repository: 'lab/others' }],
  ['it stands in the record of another run', 'other-record', { record: 'ferry-daily-20261122' }],
  [
    'its target is another than its digest says',
    'proposal-forged',
    { mutation: record({ proposal: proposal({ cluster: 'us-east5' }) }) },
  ],
  [
    'its evidence is another than its digest says',
    'proposal-forged',
    { mutation: record({ evidence: { facts: {}, lines: [] } }) },
  ],
  [
    'it is over',
    'already-over',
    {
      mutation: record({
        ended: {
          proposal: record().digest,
          outcome: 'done',
          code: 'replaced',
          detail: {},
          at: toRfc3339(at(11)),
          seq: 23,
        },
      }),
    },
  ],
  ['an hour has gone by since it was written', 'consent-expired', { now: at(70) }],
  [
    'it was recorded long after it was written',
    'consent-expired',
    {
      mutation: record({
        consents: record().consents.map((one) => ({ ...one, at: toRfc3339(at(65)) })),
      }),
      now: at(70),
    },
  ],
  [
    'somebody holds the run',
    'held',
    {
      holds: known([
        {
          scope: 'run',
          lane: null,
          reason: 'wait',
          date: null,
          actor: mira,
          at: toRfc3339(at(11)),
        },
      ]),
    },
  ],
  [
    'somebody said stop in the thread and nobody has answered',
    'held',
    { brakes: known([{ name: 'stop', login: 'noah', thread: 7 }]) },
  ],
  ['the threads cannot be read', 'unreadable', { brakes: unknown('GitHub is away') }],
  ['the holds cannot be read', 'unreadable', { holds: unknown('the journal is broken') }],
  ['the comment was deleted', 'consent-gone', { cited: known(null) }],
  ['the comment cannot be read', 'unreadable', { cited: unknown('502') }],
  ['it is another comment', 'consent-gone', { cited: known(comment({ id: 901 })) }],
  ['it stands in another thread', 'consent-elsewhere', { cited: known(comment({ thread: 13 })) }],
  [
    'somebody else wrote it',
    'consent-by-another',
    { cited: known(comment({ author: { id: 8, login: 'sol' } })) },
  ],
  ['a bot wrote it', 'consent-by-another', { cited: known(comment({ authorIsBot: true })) }],
  ['it was edited', 'consent-edited', { cited: known(comment({ editedAt: at(11) })) }],
  ['its text is another', 'consent-edited', { cited: known(comment({ body: `${COMMAND} ` })) }],
  ['it was hidden', 'consent-hidden', { cited: known(comment({ minimized: true })) }],
  [
    'it names another machine',
    'consent-not-given',
    { ...saying('/approve-node-delete vm=ray-us-central1-worker-8d32') },
  ],
  ['it names another digest', 'consent-not-given', { ...saying(`${BARE} ${'0'.repeat(32)}`) }],
  ['it names no digest', 'consent-not-given', { ...saying(BARE) }],
  ['it names twelve digits', 'consent-not-given', { ...saying(`${BARE} ${record().digest.slice(7, 19)}`) }],
  ['it names 31 digits', 'consent-not-given', { ...saying(COMMAND.slice(0, -1)) }],
  [
    'it was written before the proposal, whatever the record says',
    'consent-before-proposal',
    { cited: known(comment({ createdAt: at(-1) })) },
  ],
  [
    'it was written more than an hour ago, whatever the record says',
    'consent-expired',
    {
      mutation: record({
        consents: record()
          .consents.map((one) => ({ ...one, at: toRfc3339(at(65)) }))
          .map((one) => ({
            ...one,
            source: { ...one.source, writtenAt: toRfc3339(at(65)) } as typeof one.source,
          })),
      }),
      now: at(71),
    },
  ],
  ['nobody had been shown it', 'consent-not-shown', { shownSince: known(null) }],
  ['it was shown after it was written', 'consent-not-shown', { shownSince: known(at(11)) }],
  ['what was shown cannot be read', 'unreadable', { shownSince: unknown('502') }],
  ['somebody stopped the run since', 'stopped', { stoppedAt: 22 }],
  ['it only quotes the command', 'consent-not-given', { ...saying(`> ${COMMAND}`) }],
  ['it consents to something else', 'consent-not-given', { ...saying('/approve-launch') }],
  ['its author lost the permission', 'consenter-lost-permission', { permission: known('write') }],
  ['the permission cannot be told', 'unreadable', { permission: unknown('502') }],
  ['the config does not consent any more', 'not-pre-approved', { mutation: configConsent() }],
  [
    'the config did not consent at that commit',
    'not-pre-approved',
    {
      mutation: configConsent(),
      preApproval: known({ standsNow: true, stoodThen: false, used: 0, max: 2 }),
    },
  ],
  [
    "the config's number is used up",
    'pre-approval-used-up',
    {
      mutation: configConsent(),
      preApproval: known({ standsNow: true, stoodThen: true, used: 2, max: 2 }),
    },
  ],
];

/** The consent as if this had been written and recorded. */
function saying(body: string): Partial<ConsentFacts> {
  const consents = record().consents.map((one) => ({
    ...one,
    source: { ...one.source, bodyDigest: digestOf(body) },
  }));
  return { cited: known(comment({ body })), mutation: record({ consents }) };
}

describe('a consent does not count where', () => {
  it.each(FAULTS)('%s: %s', (_, code, change) => {
    const asked = facts(change);
    const consent = asked.mutation?.consents.at(-1) ?? null;
    expect(consentFault(asked, consent)?.code).toBe(code);
    expect(mintConsent(asked, CLAIM)).toMatchObject({ ok: false, error: { code } });
  });

  it('nobody gave it: no-consent', () => {
    const mutation = record({ consents: [], begun: null });
    expect(consentFault(facts({ mutation }), null)?.code).toBe('no-consent');
  });
});

describe('the hour of a consent', () => {
  const end = at(70);
  it.each([
    ['60 minutes less a millisecond', -1, null],
    ['60 minutes', 0, 'consent-expired'],
    ['60 minutes and a millisecond', 1, 'consent-expired'],
  ])('counts from when it was written: %s later', (_, laterMs, code) => {
    const asked = facts({ now: moved(end, laterMs) });
    expect(consentFault(asked, asked.mutation?.consents.at(-1) ?? null)?.code ?? null).toBe(code);
    const [step] = proposal().steps;
    const token = tokenOf();
    const spend = (): void => step && spendCapability({ capability: token, now: moved(end, laterMs) }, step);
    if (code === null) expect(spend).not.toThrow();
    else expect(spend).toThrow(CapabilityError);
  });

  it('is no longer where the clock that wrote it runs ahead', () => {
    const consents = record().consents.map((one) => ({
      ...one,
      source: { ...one.source, writtenAt: toRfc3339(at(600)) },
    }));
    const asked = facts({ mutation: record({ consents }), now: end });
    expect(mintConsent(asked, CLAIM)).toMatchObject({ ok: false, error: { code: 'consent-expired' } });
  });

  it('is none where the time cannot be read', () => {
    const consents = record().consents.map((one) => ({ ...one, at: 'yesterday' }));
    expect(mintConsent(facts({ mutation: record({ consents }) }), CLAIM)).toMatchObject({
      ok: false,
      error: { code: 'consent-expired' },
    });
  });
});

describe('a comment consents to nothing', () => {
  const VM = 'ray-us-central1-worker-7c21';
  it.each([
    ['in other letters', `/approve-node-delete vm=${VM.toUpperCase()}`],
    ['for an option', '/approve-node-delete vm=--all'],
    ['for the name behind an option', `/approve-node-delete vm=--zone=x vm=${VM}`],
    ['with a command of a shell behind it', `/approve-node-delete vm=${VM};reboot`],
    ['with one inside', `/approve-node-delete vm="${VM}$(reboot)"`],
    ['with a pipe', `/approve-node-delete vm="${VM} | sh"`],
    ['in a letter that only looks so', `/approve-node-delete vm=${VM.replace('a', 'а')}`],
    ['in wide letters', `/approve-node-delete vm=${VM.replace('r', 'ｒ')}`],
    ['with an invisible sign', `/approve-node-delete vm=${VM}\u200b`],
    ['written from right to left', `/approve-node-delete vm=\u202e${VM}`],
    ['with a line break in it', `/approve-node-delete vm="${VM}\n"`],
    ['in a block of code', `\`\`\`\n${COMMAND}\n\`\`\``],
    ['in a span of code', `\`${COMMAND}\``],
    ['in a list', `- ${COMMAND}`],
    ['in a comment of HTML', `<!--\n${COMMAND}\n-->`],
    ['in folded HTML', `<details>\n${COMMAND}\n</details>`],
    ['in the middle of a sentence', `please ${COMMAND}`],
    ['struck through', `~~${COMMAND}~~`],
    ['with a digest of eleven digits', `${BARE} ${record().digest.slice(7, 18)}`],
    ['with the digest of a neighbour', `${BARE} ${record().digest.slice(7, 18)}x`],
  ])('%s', (_, body) => {
    expect(mintConsent(facts(saying(body)), CLAIM)).toMatchObject({
      ok: false,
      error: { code: 'consent-not-given' },
    });
  });
});

describe('a token', () => {
  it('is minted where all of it holds, by comment and by config', () => {
    expect(mintConsent(facts(), CLAIM).ok).toBe(true);
    const preApproval = known({ standsNow: true, stoodThen: true, used: 1, max: 2 });
    expect(mintConsent(facts({ mutation: configConsent(), preApproval }), CLAIM).ok).toBe(true);
  });

  it('takes the whole digest of the proposal in the comment, in whatever case', () => {
    expect(mintConsent(facts(saying(`${BARE} ${record().digest.slice(7).toUpperCase()}`)), CLAIM).ok).toBe(
      true,
    );
  });

  it.each([
    ['before the claim was pushed', record({ begun: null }), CLAIM],
    ['for the claim of somebody else', record(), { seq: 23 }],
  ])('is not minted %s', (_, mutation, claim) => {
    expect(mintConsent(facts({ mutation }), claim).ok).toBe(false);
  });

  const [step] = proposal().steps;
  if (step === undefined) throw new Error('no step');

  it('lets its step through once', () => {
    const token = tokenOf();
    spendCapability({ capability: token, now: at(12) }, step);
    expect(() => spendCapability({ capability: token, now: at(12) }, step)).toThrow(CapabilityError);
  });

  it.each([
    ['another machine', { ...step, command: step.command.map((a) => a.replace('7c21', '8d32')) }],
    ['one argument more', { ...step, command: [...step.command, '--async'] }],
    ['another kind of change', { ...step, does: 'init-worker' } as const],
  ])('lets nothing else through: %s', (_, other) => {
    const token = tokenOf();
    expect(() => spendCapability({ capability: token, now: at(12) }, other)).toThrow(CapabilityError);
    spendCapability({ capability: token, now: at(12) }, step);
  });

  it('is worth nothing after the hour', () => {
    expect(() => spendCapability({ capability: tokenOf(), now: at(70) }, step)).toThrow(CapabilityError);
  });

  it('is worth nothing as a copy, or written down', () => {
    const token = tokenOf();
    for (const forged of [{ ...token }, structuredClone(token), JSON.parse(JSON.stringify(token))])
      expect(() => spendCapability({ capability: forged as Capability, now: at(12) }, step)).toThrow(
        CapabilityError,
      );
  });
});
