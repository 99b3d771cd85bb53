/** Fills the placeholders of a lane's templates: the run name, the command, the environment and the output root. */

import type { LaneConfig } from '../config/lane-schema.ts';
import type { RunId } from '../domain/ids.ts';

/** What the placeholders stand for. `{outputRoot}` is filled first, so that the command can carry it. */
export type Filling = { readonly run: RunId; readonly date: string };

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
  const all = { run: filling.run, date: filling.date, runName, outputRoot };
  return {
    runName,
    outputRoot,
    metricsFile: filled(lane.metricsFile, all),
    command: lane.command.map((part) => filled(part, all)),
    environment: Object.fromEntries(
      Object.entries(lane.environment).map(([name, value]) => [name, filled(value, all)]),
    ),
  };
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
