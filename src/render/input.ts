/** What a card, a check run or a comment is rendered from: the record, the lab's config and the judgement, and no clock. */

import type { LaneKind } from '../config/lane-kind.ts';
import type { LaneOfRun } from '../config/lane-of-file.ts';
import type { LaneConfig } from '../config/lane-schema.ts';
import type { ContractFields } from '../contracts/fields.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { PastOf } from '../domain/past-row.ts';
import type { RunVerdict } from '../domain/run-verdict.ts';

/** What is said of a kind of run, and no more of it. */
type SpokenKind = LaneKind & {
  readonly proposes?: { readonly change?: object };
  readonly fixes?: (lane: LaneConfig) => { readonly fixable: readonly string[] };
  readonly contracts?: { readonly fields: ContractFields };
};

export type RenderInput = {
  readonly state: RunState;
  readonly config: LaneOfRun<SpokenKind>;
  readonly verdict: RunVerdict | null;
  /** The gates over the approvals, as the record tells them. */
  readonly approvals: readonly Verdict[];
  readonly past: PastOf;
};
