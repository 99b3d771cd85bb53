/** The facts that all sentences are rendered from: the record, the lab's config and the verdict, but no clock. */

import type { AnswerCode, Answers } from '../commands/decision.ts';
import type { LaneOfRun } from '../config/lane-of-file.ts';
import type { LaneConfig, LaneKind } from '../config/lane-schema.ts';
import type { ContractFields } from '../contracts/fields.ts';
import type { Facts, Fields, IncidentCode, IncidentFacts } from '../domain/incidents.ts';
import type { GateId, Verdict, Verdicts } from '../domain/launch/verdict.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { PastRunsReader, RunVerdict } from '../domain/past-runs.ts';
import type { ThreadKind } from './words.ts';

/** The parts of a lane's kind that the sentences use. */
type RenderedKind = LaneKind & {
  readonly proposals?: { readonly change?: object };
  readonly fixes?: (lane: LaneConfig) => { readonly fixable: readonly string[] };
  readonly contracts?: { readonly fields: ContractFields };
};

export type RenderInput = {
  readonly state: RunState;
  readonly config: LaneOfRun<RenderedKind>;
  readonly verdict: RunVerdict | null;
  readonly approvals: readonly Verdict[];
  readonly past: PastRunsReader;
};

/** `input` null: on a thread that belongs to no run. */
export type AnswerView = { readonly input: RenderInput | null };

export type AnswerFacts<Code extends AnswerCode> = Facts<Answers[Code]>;

/** One sentence for each of these codes. */
export type Sentences<Code extends AnswerCode> = {
  readonly [C in Code]: (facts: AnswerFacts<C>, view: AnswerView) => string;
};

export type Words = readonly [found: string, remedy?: string];

/** One sentence per code of a gate, with Markdown facts (`shown`): what was found, and the remedy if `REMEDIES` has none. */
type GateSentences<Gate extends GateId> = {
  readonly [Code in keyof Verdicts[Gate]]: (
    facts: Verdicts[Gate][Code] extends Fields ? Facts<Verdicts[Gate][Code]> : never,
    place: ThreadKind,
  ) => Words | string;
};

export type AllGateSentences = { readonly [Gate in GateId]: GateSentences<Gate> };

export type AllIncidentWords = { readonly [Code in IncidentCode]: IncidentWords<Code> };

/** An incident in words. All is Markdown. */
export type IncidentText = Readonly<Record<'title' | 'evidence' | 'did' | 'todo', string>>;

/** Facts come as Markdown (`shown`). */
export type IncidentWords<Code extends IncidentCode> = Omit<IncidentText, 'evidence'> & {
  readonly evidence: (facts: IncidentFacts<Code>, place: ThreadKind) => string;
  /** Replaces the usual text; null: use the usual text. */
  readonly didFor?: (facts: IncidentFacts<Code>) => string | null;
  readonly todoFor?: (facts: IncidentFacts<Code>, place: ThreadKind) => string | null;
};
