/** Which contexts and functions an expression may use where it stands in a workflow file or a composite action (docs: contexts reference, context availability). */

const STATUS = ['always', 'cancelled', 'failure', 'success'] as const;

export type Available = {
  readonly contexts: readonly string[];
  /** Functions beside those that are there everywhere. */
  readonly functions: readonly string[];
};

const RUN = ['github', 'inputs', 'vars'] as const;
const JOB = [...RUN, 'needs', 'strategy', 'matrix'] as const;
const STEP_IF = [...JOB, 'job', 'runner', 'env', 'steps'] as const;
const STEP = [...STEP_IF, 'secrets'] as const;
/** A composite action sees its own inputs and none of the secrets, variables and needs of the job. */
const INSIDE = ['github', 'inputs', 'strategy', 'matrix', 'steps', 'job', 'runner', 'env'] as const;

/** The first place that matches counts; places are written as `jobs.build.steps[2].run`. */
const PLACES: readonly (readonly [RegExp, readonly string[], readonly string[]])[] = [
  [/^(?:run-name$|concurrency)/, RUN, []],
  [/^env\./, [...RUN, 'secrets'], []],
  [/^on\.workflow_call\.inputs\.[^.]+\.default$/, RUN, []],
  [/^on\.workflow_call\.outputs\.[^.]+\.value$/, [...RUN, 'jobs'], []],
  [/^jobs\.[^.]+\.steps\[\d+\]\.if$/, STEP_IF, [...STATUS, 'hashFiles']],
  [/^jobs\.[^.]+\.steps\[\d+\]\./, STEP, ['hashFiles']],
  [/^jobs\.[^.]+\.if$/, [...RUN, 'needs'], STATUS],
  [/^jobs\.[^.]+\.env\./, [...JOB, 'secrets'], []],
  [/^jobs\.[^.]+\.secrets\./, [...JOB, 'secrets'], []],
  [/^jobs\.[^.]+\.outputs\./, STEP, []],
  [/^jobs\.[^.]+\.environment\.url$/, STEP_IF, []],
  [/^runs\.steps\[\d+\]\.if$/, INSIDE, [...STATUS, 'hashFiles']],
  [/^runs\.steps\[\d+\]\./, INSIDE, ['hashFiles']],
  [/^outputs\.[^.]+\.value$/, INSIDE, []],
  [/^jobs\.[^.]+\.defaults\./, [...JOB, 'env'], []],
  [
    /^jobs\.[^.]+\.(?:concurrency|continue-on-error|environment|name|runs-on|timeout-minutes|with)\b/,
    JOB,
    [],
  ],
];

/** What is there at a place of the file; a place that the page does not name has the contexts of a step. */
export function availableAt(place: string): Available {
  const found = PLACES.find(([pattern]) => pattern.test(place));
  if (found === undefined) return { contexts: STEP, functions: [] };
  const [, contexts, functions] = found;
  return { contexts, functions };
}
