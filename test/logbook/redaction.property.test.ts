/**
 * What runner and watch record about jobs, engines and trackers: no line of the record contains a secret, in
 * any field.
 */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { TYPED_SECRETS } from '../support/leaks.ts';
import { composeFile, listFerryEvents } from './sample-logbook.ts';

const DRAFTS = listFerryEvents(1);
const MACHINES = DRAFTS.flatMap(({ role }, index) => (role === 'control' ? [] : [index]));

type Writing = (name: string, value: string) => string;
const WRITINGS: readonly Writing[] = [
  (name, value) => `${name}=${value}`,
  (name, value) => `export ${name}="${value}"; python3 train.py`,
  (name, value) => JSON.stringify({ [name]: value }),
  (name, value) => `config ${name.toLowerCase()}: ${value} (from the environment)`,
];

/** The data with this text as its nth text, and as the name and value of a metric. */
function withText(draft: EventDraft, nth: number, text: string): EventDraft {
  let seen = 0;
  const data: unknown = JSON.parse(JSON.stringify(draft.data), (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    seen += 1;
    return seen - 1 === nth ? text : value;
  });
  const named = { [text]: text, nested: [{ message: text }] };
  return { ...draft, data: { ...(data as object), named } } as unknown as EventDraft;
}

const secret = fc.constantFrom(...Object.entries(TYPED_SECRETS));

// threat T212
it('removes a secret from every text, nested text and name that a machine wrote', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...MACHINES),
      fc.nat(8),
      secret,
      fc.constantFrom(...WRITINGS),
      (at, nth, [name, value], write) => {
        const drafts = DRAFTS.with(at, withText(DRAFTS[at] as EventDraft, nth, write(name, value)));
        expect(composeFile(drafts).text).not.toContain(value.slice(4, 16));
      },
    ),
  );
});

it('keeps ids, times, digests, addresses and measurements unchanged', () => {
  const { events } = composeFile(DRAFTS);
  for (const [index, { type, data }] of DRAFTS.entries())
    if (index > 0) expect({ type, data: events[index]?.data }).toEqual({ type, data });
});
