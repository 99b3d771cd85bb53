/** The scale of a ferry: the model's parameters and the FLOPs of the run, read from the experiment file and the lane (policy DF-38). */

import type { LaneConfig } from '../../config/lane-schema.ts';
import { readKnobs } from '../../delta/read-knobs.ts';
import type { ExperimentFile } from '../../domain/experiment.ts';
import { type ModelSize, trainingFlops } from '../../domain/launch/model-size.ts';
import { type FerryLane, ferryLane } from './settings.ts';

type Scale = NonNullable<FerryLane['scale']>;

/** Tells what a file would train in this lane; null where the lane says nothing of its scale. */
export function sizeOf(lane: LaneConfig): ((file: ExperimentFile) => ModelSize) | null {
  const { scale } = ferryLane(lane);
  return scale === null ? null : (file) => sizeIn(file, scale, lane.environment);
}

function sizeIn(file: ExperimentFile, scale: Scale, environment: LaneConfig['environment']): ModelSize {
  const parameters = Number(scale.parameters);
  if (scale.flopsVariable !== null) {
    const flops = numberIn(environment[scale.flopsVariable]);
    return flops === null
      ? { kind: 'unknown', why: `the lane's environment has no number ${scale.flopsVariable}` }
      : { kind: 'known', parameters, flops };
  }
  const knobs = readKnobs(file);
  let tokens = 1;
  for (const factor of scale.tokens ?? []) {
    const value =
      typeof factor === 'number' ? factor : numberIn(knobs.find(({ path }) => path === factor)?.value);
    if (value === null) return { kind: 'unknown', why: `the experiment has no number at ${factor}` };
    tokens *= value;
  }
  return { kind: 'known', parameters, flops: trainingFlops(parameters, tokens) };
}

/** How far the run is from what the lane is for, in per cent of it: negative is less. */
export function offTarget(flops: number, { flops: target }: Scale): number {
  return ((flops - Number(target)) / Number(target)) * 100;
}

/** A positive number as Python or a shell would have it. */
function numberIn(source: string | undefined): number | null {
  const value = Number(source?.replaceAll('_', '') ?? '');
  return Number.isFinite(value) && value > 0 ? value : null;
}
