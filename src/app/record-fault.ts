/** Whether the record lets anything be done at all. */

import type { Refusal } from '../actions/pipeline.ts';
import { faultKey } from '../domain/logbook/logbook-fault.ts';
import { JOURNAL } from '../logbook/rules.ts';
import { WHOLE_BRANCH } from './broken-run.ts';
import type { Record } from './record-files.ts';

/** Nothing is done on a record that does not verify: its own, or the journal, where a hold may stand. `code` is what the refusal is called. */
export function recordFault({ broken }: Record, file: string, code: string): Refusal | null {
  const fault = broken.find(({ run }) => run === file || run === JOURNAL || run === WHOLE_BRANCH);
  if (fault === undefined) return null;
  const what = fault.run === WHOLE_BRANCH ? "the logbook's branch" : `the record of ${fault.run}`;
  const why = `${what} does not verify: ${faultKey(fault.fault)}`;
  return { kind: 'refused', code, effect: 'standing', why };
}
