/** The lab's own proposer: a program that gets the context as JSON and answers with edits and rationale (docs/proposer.md). */

import { z } from 'zod';
import { readKnobs } from '../../../delta/read-knobs.ts';
import { cutTextFromEnd } from '../../../domain/cut-text.ts';
import { limits } from '../../../domain/limits.ts';
import type { Objective } from '../../../domain/logbook/events/launch-events.ts';
import {
  type AskedFor,
  type Failed,
  type Nothing,
  nothing,
  type PlanWork,
  stillRunning,
} from '../../../run/proposing.ts';
import { checkProposedEdits } from '../ask/asked-change.ts';
import type { RecentFerry } from '../candidates.ts';
import type { EditedFile } from '../edit.ts';
import type { IntervalContext } from '../interval.ts';
import { type FerryLane, ferryLane } from '../settings.ts';
import type { Experiment } from './experiment.ts';

/** A proposer's edits; a budget of knobs allows no more than this either. */
const PROPOSER_EDITS_MAX = 20;

const answerSchema = z.strictObject({
  edits: z
    .array(
      z.strictObject({
        path: z.string().min(1).max(500),
        before: z.string().max(500).optional(),
        after: z.string().min(1).max(500),
      }),
    )
    .min(1)
    .max(PROPOSER_EDITS_MAX),
  rationale: z.string().trim().min(1).max(2_000),
  risk: z.enum(['low', 'medium', 'high']),
});

export type ProposerInput = {
  readonly asked: AskedFor;
  readonly run: string;
  readonly date: string;
  readonly objective: Objective;
  readonly context: IntervalContext;
  readonly recent: readonly RecentFerry[];
};

export type Proposed = EditedFile & {
  readonly kind: 'proposes';
  readonly rationale: string;
  readonly risk: 'low' | 'medium' | 'high';
};

type Proposer = NonNullable<FerryLane['proposer']>;

/** Asks it once. Whatever it says is checked like anybody's; a wrong answer is told and nothing is edited. */
export async function askProposer(
  open: PlanWork,
  proposer: Proposer,
  experiment: Experiment,
  input: ProposerInput,
): Promise<Proposed | Nothing | Failed> {
  const result = await open.lab.helpers.ask({
    asked: input.asked,
    about: [input.run, input.objective.text, experiment.text],
    command: proposer.command,
    input: `${JSON.stringify(proposerContext(open.config, experiment, input))}\n`,
    timeoutMs: proposer.timeoutMs,
    outputBytesMax: proposer.outputBytesMax,
  });
  if (result.kind === 'running') return stillRunning('the lab’s proposer');
  if (!result.ok) {
    const end = cutTextFromEnd(open.redact(result.stderr).trim(), limits.messageCharactersMax);
    return nothing('proposer-failed', `${result.kind} ${result.exitCode ?? result.code ?? ''}: ${end}`);
  }
  const answer = answerSchema.safeParse(parsedJson(result.stdout));
  if (!answer.success) {
    const [issue] = answer.error.issues;
    return nothing(
      'proposer-refused',
      `${issue?.path.join('../../../app/propose') ?? ''}: ${issue?.message ?? ''}`,
    );
  }
  const { edits, rationale, risk } = answer.data;
  const lane = ferryLane(open.config.lane);
  const checked = await checkProposedEdits(
    experiment.file,
    experiment.read,
    edits.map(({ path, before, after }) => ({ path, before: before ?? null, after })),
    { knobsMax: lane.budget.knobs, scaleKnobs: lane.scaleKnobs, recent: input.recent },
  );
  if (!checked.ok) return nothing('proposer-refused', `${checked.error.code} ${checked.error.path}`.trim());
  return { kind: 'proposes', ...checked.value, rationale: open.redact(rationale), risk };
}

/** What a proposer is told: the file, its knobs, what was tried and what came of it, and what happened since the last ferry. */
export function proposerContext(
  config: PlanWork['config'],
  { text, file }: Pick<Experiment, 'text' | 'file'>,
  { run, date, objective, context, recent }: Omit<ProposerInput, 'asked'>,
): object {
  const lane = ferryLane(config.lane);
  return {
    v: 1,
    run,
    date,
    lane: config.laneName,
    objective,
    experiment: { path: lane.experiment, text },
    knobs: readKnobs(file).map(({ path, knob, value, bucket, line }) => ({
      path,
      knob,
      value,
      bucket,
      line,
    })),
    budget: { knobs: lane.budget.knobs },
    scaleKnobs: lane.scaleKnobs,
    recent,
    last: context.last,
    since: context.start,
    commits: context.commits.map(({ sha, subject }) => ({ sha, subject })),
    issues: context.issues.map(({ number, title }) => ({ number, title })),
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // What is no JSON is no answer: the schema refuses null and says so.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
