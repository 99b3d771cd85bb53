/** `ferrybot lineage RUN --dir DIR`: which attempt of a run went on from what, and what was rejected, from a copy of the logbook. */

import { lineageOf } from '../../../checkpoints/lineage.ts';
import { fold } from '../../../domain/logbook/fold.ts';
import type { RunState } from '../../../domain/logbook/run-state.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { toRfc3339 } from '../../../domain/time.ts';
import { lineageGraph } from '../../../render/checkpoints.ts';
import { answer, EXIT, misused, refused, type VerbIo } from '../verb-io.ts';
import { logbookIn } from './logbook-in.ts';
import { verifyFile } from './logbook-verify.ts';

/** Exit 1 where the run is not there, or its record is not in order. */
export async function lineageVerb(io: VerbIo, run: string, dir: string): Promise<number> {
  const state = await stateOfRun(io, run, dir);
  if (!state.ok)
    return state.error.code === 'usage' ? misused(io, state.error.message) : refused(io, state.error);
  const { attempts, rejections } = lineageOf(state.value);
  const graph = lineageGraph({ attempts, rejections });
  const told = {
    ok: true,
    run,
    attempts: attempts.map(({ from, until, ...one }) => ({
      ...one,
      from: toRfc3339(from),
      until: until === null ? null : toRfc3339(until),
    })),
    rejections: rejections.map(({ step, reason, actor, at, seq }) => ({ step, reason, actor, at, seq })),
    graph,
  };
  answer(io, told, `${graph}\n`);
  return EXIT.yes;
}

/** The run as a copy of the logbook tells it; a run that is not over needs no anchor for that. */
export async function stateOfRun(
  io: VerbIo,
  run: string,
  dir: string,
): Promise<Result<RunState, { readonly code: string; readonly message: string }>> {
  const found = await logbookIn(dir, io);
  if (!found.ok) return fail({ code: 'usage', message: found.error });
  const file = found.value.find((one) => one.run === run);
  if (file === undefined)
    return fail({ code: 'run-unknown', message: `the logbook in ${dir} has no run ${run}` });
  const { bad, verification } = verifyFile(file, { keys: null, head: null });
  if (bad !== null && bad.reason !== 'unanchored')
    return fail({ code: 'logbook-broken', message: bad.message });
  const folded = fold(verification.events);
  if (!folded.ok || folded.value === null)
    return fail({ code: 'logbook-broken', message: `${run} cannot be read` });
  return ok(folded.value);
}
