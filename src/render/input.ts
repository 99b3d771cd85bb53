/** What a card, a check run or a comment is rendered from: the record, the lab's config and the judgement, and no clock. */

import type { LaneScopedConfig } from '../config/lane-scope.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { PastOf } from '../domain/past-row.ts';
import type { RunVerdict } from '../domain/run-verdict.ts';

export type RenderInput = {
  readonly state: RunState;
  readonly config: LaneScopedConfig;
  readonly verdict: RunVerdict | null;
  /** The gates over the approvals, as the record tells them. */
  readonly approvals: readonly Verdict[];
  readonly past: PastOf;
};
