/** Whether the record lets anything be launched at all. */

import type { RefusalCode } from '../../domain/launch/refusal.ts';
import { faultKey } from '../../domain/logbook/logbook-fault.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { WHOLE_BRANCH } from '../broken-run.ts';
import type { Record } from '../record-files.ts';

/** Nothing is launched on a record that does not verify: of the run, or of the journal, where a freeze may stand. */
export function recordFault(
  { broken }: Record,
  run: string,
): { readonly kind: 'refused'; readonly code: RefusalCode; readonly why: string } | null {
  const fault = broken.find((one) => one.run === run || one.run === JOURNAL || one.run === WHOLE_BRANCH);
  if (fault === undefined) return null;
  const what = fault.run === WHOLE_BRANCH ? "the logbook's branch" : `the record of ${fault.run}`;
  return { kind: 'refused', code: 'order-unknown', why: `${what} does not verify: ${faultKey(fault.fault)}` };
}
