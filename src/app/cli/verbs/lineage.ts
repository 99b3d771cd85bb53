/** `ferrybot lineage RUN --dir DIR`: which checkpoint each attempt of a run resumed from, and which were rejected. */

import { lineageOf } from '../../../checkpoints/lineage.ts';
import { fold } from '../../../domain/logbook/fold.ts';
import type { RunState } from '../../../domain/logbook/run-state.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { toRfc3339 } from '../../../domain/time.ts';
import { attemptsTable } from '../../../render/checkpoints.ts';
import { answer, EXIT, misused, type Refusal, refused, type VerbIo } from '../verb-io.ts';
import { logbookIn } from './logbook-files.ts';
import { recordedEvents } from './logbook-verify.ts';

/** Exit 1 if the run is missing or its record does not verify. */
export async function lineageVerb(io: VerbIo, run: string, dir: string): Promise<number> {
  const state = await stateOfRun(io, run, dir);
  if (!state.ok)
    return state.error.code === 'usage' ? misused(io, state.error.message) : refused(io, state.error);
  const { attempts, rejections } = lineageOf(state.value);
  const told = {
    ok: true,
    run,
    attempts: attempts.map(({ from, until, ...one }) => ({
      ...one,
      from: toRfc3339(from),
      until: until === null ? null : toRfc3339(until),
    })),
    rejections: rejections.map(({ step, reason, actor, at, seq }) => ({ step, reason, actor, at, seq })),
  };
  answer(io, told, `${attemptsTable({ attempts })}\n`);
  return EXIT.yes;
}

/** A run from a copy of the logbook. */
export async function stateOfRun(io: VerbIo, run: string, dir: string): Promise<Result<RunState, Refusal>> {
  const found = await logbookIn(dir, io);
  if (!found.ok) return fail({ code: 'usage', message: found.error });
  const file = found.value.find((one) => one.run === run);
  if (file === undefined)
    return fail({ code: 'run-unknown', message: `the logbook in ${dir} has no run ${run}` });
  const events = recordedEvents(file);
  if (!events.ok) return events;
  const folded = fold(events.value);
  if (!folded.ok || folded.value === null)
    return fail({ code: 'logbook-broken', message: `${run} cannot be read` });
  return ok(folded.value);
}
