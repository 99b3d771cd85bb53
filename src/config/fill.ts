/** Fills the placeholders of a lane's templates: the run name, the command, the environment and the output root. */

import type { RunId } from '../domain/ids.ts';
import { CHECKPOINT } from '../domain/launch/contract.ts';
import type { LaneConfig } from './lane-schema.ts';

/** What the placeholders stand for. `{outputRoot}` is filled first, so that the command can carry it. */
export type Filling = {
  readonly run: RunId;
  readonly date: string;
  /** What the attempt goes on from, null = nothing; left out before there is an attempt: then its place stays open. */
  readonly checkpoint?: string | null;
};

export type FilledLane = {
  readonly runName: string;
  readonly outputRoot: string;
  readonly metricsFile: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

/** The lane's templates for one run. Unknown placeholders cannot occur: the config's rules refuse them. */
export function fillLane(lane: LaneConfig, filling: Filling): FilledLane {
  const runName = filled(lane.runName, { run: filling.run, date: filling.date });
  const outputRoot = filled(lane.outputRoot, { run: filling.run, date: filling.date, runName });
  const { checkpoint } = filling;
  const known = { run: filling.run, date: filling.date, runName, outputRoot };
  const all = checkpoint == null ? known : { ...known, checkpoint };
  // An argument about a checkpoint says nothing where there is none.
  const isUsed = (part: string): boolean => checkpoint !== null || !part.includes(CHECKPOINT);
  return {
    runName,
    outputRoot,
    metricsFile: filled(lane.metricsFile, all),
    command: lane.command.filter(isUsed).map((part) => filled(part, all)),
    environment: Object.fromEntries(
      Object.entries(lane.environment)
        .filter(([, value]) => isUsed(value))
        .map(([name, value]) => [name, filled(value, all)]),
    ),
  };
}

/** Where the checkpoints of a run lie, by what its manifest says of it. */
export function checkpointRoots(
  { checkpointRoots }: Pick<LaneConfig, 'checkpointRoots'>,
  values: Readonly<Record<'run' | 'date' | 'runName' | 'outputRoot', string>>,
): readonly string[] {
  return checkpointRoots.map((template) => filled(template, values));
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
