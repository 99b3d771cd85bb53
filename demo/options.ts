/** Options of `npm start`. */

import type * as z from 'zod';
import {
  choiceOption,
  flag,
  numberOption,
  type ParsedOptions,
  portOption,
  readArguments,
  switchOption,
  textOption,
} from './read-arguments.ts';

export const USAGE = `npm start -- [options]
  --help               says this
  --port N             port of the page and the API (default: 4610, with --auto any free one)
  --keep DIR           keep repositories, logbook, job records and logs in DIR, and go on from there
  --webhooks on|off    whether GitHub's webhooks and comment events arrive; off leaves the sweep alone
  --server on|off      the App's server, or the action alone
  --engine local|ray|slurm|iris  what runs the jobs: processes of this machine, a Ray head on it (npm run setup:ray), a
                       Slurm cluster on it (npm run setup:slurm), or an Iris on it (npm run setup:iris)
  --auto               plays the person, prints each stage, exits after the seal
  --days N             with --auto: so many daily ferries, the clock moved by 24 h between them
  --lanes 1|2          one ferry lane, or two side by side on two clusters (new labs alone, engine local)
  --lane rental        a lab with a lane of rentals on a Vast.ai of this machine, whose instances are real processes
                       (new labs alone); with --auto it is played from /rent to the seal
  --lane hero          a lab with a lane of hero runs, and the story of one on the page of its issues: contract, crash,
                       rejected checkpoint, rollback, seal (new labs alone); with --auto it is played to the seal
  --lane adopted       a lab whose people start jobs by hand, of an experiment with a slip in it (new labs alone); with
                       --auto one is taken over, dies, is put right, approved, launched again and sealed
  --example NAME       another lab: nanogpt (a Python config), hf-trainer (YAML) or torchtitan (TOML); its job trains for
                       about a minute (new labs alone, engine local)
  --json               one JSON value on the last line of standard output
`;

const SHAPE = {
  port: portOption().optional(),
  /** Absolute folder that keeps everything, or null for a new temporary one. */
  keep: textOption('keep', 'a folder'),
  webhooks: switchOption('webhooks'),
  server: switchOption('server'),
  /** What runs the jobs: processes of this machine, or a real Ray head, Slurm cluster or Iris on it. */
  engine: choiceOption('engine', ['local', 'ray', 'slurm', 'iris']).default('local'),
  auto: flag,
  days: numberOption(31, wrongDays)
    .refine((days) => days > 0, wrongDays('0'))
    .default(1),
  /** The number of ferry lanes, each on its own cluster. */
  lanes: choiceOption('lanes', ['1', '2'])
    .default('1')
    .transform((given) => (given === '1' ? 1 : 2)),
  /** A run of another kind, not a ferry; null: ferries. */
  lane: choiceOption('lane', ['rental', 'hero', 'adopted']).nullable().default(null),
  /** A lab of `examples/`; null: the one with every kind of setting. */
  example: choiceOption('example', ['nanogpt', 'hf-trainer', 'torchtitan']).nullable().default(null),
  json: flag,
};

type Read = z.output<z.ZodObject<typeof SHAPE>>;

export type StartOptions = Readonly<Omit<Read, 'port'>> & { readonly port: number };

/** Parses the arguments strictly: an invalid number, or a switch other than on or off, is refused. */
export function readOptions(args: readonly string[]): ParsedOptions<StartOptions> {
  return readArguments(args, SHAPE, (read) => {
    const { auto, days, engine, example, lane, lanes } = read;
    if (lanes === 2 && engine !== 'local') return '--lanes 2 needs --engine local: the others have one cluster';
    if (lane !== null && (engine !== 'local' || lanes === 2 || days > 1))
      return '--lane goes without --engine, --lanes and --days';
    if (example !== null && (engine !== 'local' || lanes === 2 || lane !== null))
      return '--example goes without --engine, --lanes and --lane';
    if (days > 1 && !auto) return '--days needs --auto: between days somebody has to move the clock';
    return { ...read, port: read.port ?? (auto ? 0 : 4610) };
  });
}

function wrongDays(given: string): string {
  return `--days ${given} is not a number from 1 to 31`;
}
