/** One transaction on the logbook: decided on what stands, appended on top of it, and decided again where somebody was faster. */

import type { Instant, RunId } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { AppendResult } from '../logbook/ports.ts';

/** The record as a process keeps it. */
export type RecordPort = {
  readonly append: (
    run: RunId | 'journal',
    drafts: readonly EventDraft[],
    at: Instant,
  ) => Promise<AppendResult>;
  readonly load: () => Promise<unknown>;
};

/** `nothing`: there is nothing (any more) to be recorded; `conflict`: the logbook moved at every try. */
export type Recorded =
  | { readonly kind: 'appended'; readonly seqs: readonly number[] }
  | Exclude<AppendResult, { kind: 'appended' }>
  | { readonly kind: 'nothing' };

/** Records what `decide` wants of the record as it stands; null: nothing. It is asked anew after each lost race. */
export async function transact(
  record: RecordPort,
  run: RunId | 'journal',
  now: () => Instant,
  decide: () => EventDraft | null,
): Promise<Recorded> {
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    const draft = decide();
    if (draft === null) return { kind: 'nothing' };
    const result = await record.append(run, [draft], now());
    if (result.kind === 'appended') return { kind: 'appended', seqs: result.seqs.get(run) ?? [] };
    if (result.kind !== 'conflict') return result;
    await record.load();
  }
  return { kind: 'conflict' };
}
