/** Which witness of a job says what, and when it did: the state of the run follows from these and from nothing else. */

import { type Witnesses, witnessesOf } from '../domain/logbook/job-state.ts';
import type { Observation, RunState } from '../domain/logbook/run-state.ts';
import { progressText } from './progress.ts';
import { table, text, utc } from './words.ts';

/** Null before the first look. */
export function witnessTable(state: RunState): string | null {
  const { observation: seen } = state;
  if (seen === null) return null;
  const { engine, log, progress, checkpoint, watch } = witnessesOf(state);
  const rows = [
    ['Engine', engineSays(engine), whenOf(engine?.at)],
    ['Log', logSays(log, seen), whenOf(log?.at)],
    ['Progress', progressSays(progress, seen), whenOf(progress?.at)],
    [
      'Checkpoint',
      checkpoint === null ? 'none yet' : `complete at step ${checkpoint.step}`,
      whenOf(checkpoint?.at),
    ],
    ['Watch', watchSays(state, seen), whenOf(watch?.at)],
  ];
  return table(['Witness', 'Says', 'When'], rows);
}

function whenOf(at: number | null | undefined): string {
  return at == null ? '' : utc(new Date(at).toISOString());
}

function watchSays({ end }: RunState, { cadenceMs }: Observation): string {
  return end === null ? `looks again within ${Math.round(cadenceMs / 1_000)} s` : 'has seen the end';
}

function engineSays(engine: Witnesses['engine']): string {
  if (engine === null || engine.says === 'UNKNOWN') return 'no usable answer';
  return engine.says === 'lost' ? 'knows no such job any more' : engine.says;
}

function logSays(log: Witnesses['log'], { unread }: Observation): string {
  if (unread !== undefined) return 'cannot be read since then';
  return log?.hasLines === true ? 'read as far as it goes' : 'empty';
}

function progressSays(progress: Witnesses['progress'], { step, totalSteps, loss }: Observation): string {
  if (progress === null) return 'no step yet';
  return `${progressText(step, totalSteps)}${loss === null ? '' : `, loss ${text(loss)}`}`;
}
