/** Options of `npm start`, read strictly: an unknown one is an error that says what there is. */

import { parseArgs } from 'node:util';
import { givenTwice } from './given-twice.ts';

export type StartOptions = {
  readonly port: number;
  /** Absolute folder that keeps everything, or null for a new temporary one. */
  readonly keep: string | null;
  readonly webhooks: boolean;
  readonly server: boolean;
  readonly auto: boolean;
  readonly days: number;
  /** How many ferry lanes the lab has, each on a cluster of its own. */
  readonly lanes: 1 | 2;
  /** A run of another kind in place of the ferries; null: ferries. */
  readonly lane: (typeof LANES)[number] | null;
  readonly json: boolean;
  /** What runs the jobs: processes of this machine, or a real Ray head or Slurm cluster on it. */
  readonly engine: (typeof ENGINES)[number];
};

const ENGINES = ['local', 'ray', 'slurm'] as const;
const LANES = ['rental', 'hero'] as const;

export const USAGE = `npm start -- [options]
  --help               says this
  --port N             port of the page and the API (default: 4610, with --auto any free one)
  --keep DIR           keep repositories, logbook, job records and logs in DIR, and go on from there
  --webhooks on|off    whether GitHub's webhooks and comment events arrive; off leaves the sweep alone
  --server on|off      the App's server, or the action alone
  --engine local|ray|slurm  what runs the jobs: processes of this machine, a Ray head on it (npm run setup:ray), or a
                       Slurm cluster on it (npm run setup:slurm)
  --auto               plays the person, prints each stage, exits after the seal
  --days N             with --auto: so many daily ferries, the clock moved by 24 h between them
  --lanes 1|2          one ferry lane, or two side by side on two clusters (new labs alone, engine local)
  --lane rental        a lab with a lane of rentals on a Vast.ai of this machine, whose instances are real processes
                       (new labs alone); with --auto it is played from /rent to the seal
  --lane hero          a lab with a lane of hero runs, and the story of one on the page of its issues: contract, crash,
                       rejected checkpoint, rollback, seal (new labs alone); with --auto it is played to the seal
  --json               one JSON value on the last line of standard output
`;

export type ParsedOptions =
  | { readonly kind: 'options'; readonly options: StartOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'misused'; readonly message: string; readonly json: boolean };

/** Reads the arguments. Nothing is guessed: a value that is no number, or not on or off, is refused. */
export function readOptions(args: readonly string[]): ParsedOptions {
  const twice = givenTwice(args);
  if (twice !== null) return misused(twice, args.includes('--json'));
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        keep: { type: 'string' },
        webhooks: { type: 'string', default: 'on' },
        server: { type: 'string', default: 'on' },
        engine: { type: 'string', default: 'local' },
        auto: { type: 'boolean', default: false },
        days: { type: 'string', default: '1' },
        lanes: { type: 'string', default: '1' },
        lane: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      strict: true,
    });
    if (values.help) return { kind: 'help' };
    return checked({
      ...values,
      port: values.port ?? (values.auto ? '0' : '4610'),
      keep: values.keep ?? null,
      lane: values.lane ?? null,
    });
  } catch (error) {
    // parseArgs says what it does not know by throwing a TypeError.
    if (error instanceof TypeError) return misused(error.message, args.includes('--json'));
    throw error;
  }
}

function misused(message: string, json: boolean): ParsedOptions {
  return { kind: 'misused', message, json };
}

type Raw = {
  readonly port: string;
  readonly keep: string | null;
  readonly webhooks: string;
  readonly server: string;
  readonly engine: string;
  readonly auto: boolean;
  readonly days: string;
  readonly lanes: string;
  readonly lane: string | null;
  readonly json: boolean;
};

function checked(raw: Raw): ParsedOptions {
  // Number('') is 0: an empty value is no number.
  const port = raw.port.trim() === '' ? Number.NaN : Number(raw.port);
  const days = Number(raw.days);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return misused(`--port ${raw.port} is no port`, raw.json);
  if (!Number.isInteger(days) || days < 1 || days > 31)
    return misused(`--days ${raw.days} is not a number from 1 to 31`, raw.json);
  for (const name of ['webhooks', 'server'] as const) {
    if (raw[name] !== 'on' && raw[name] !== 'off')
      return misused(`--${name} is on or off, not ${raw[name]}`, raw.json);
  }
  const engine = ENGINES.find((name) => name === raw.engine);
  if (engine === undefined) return misused(`--engine is ${ENGINES.join(', ')}, not ${raw.engine}`, raw.json);
  const lanes = raw.lanes === '1' ? 1 : raw.lanes === '2' ? 2 : null;
  if (lanes === null) return misused(`--lanes is 1 or 2, not ${raw.lanes}`, raw.json);
  if (lanes === 2 && engine !== 'local')
    return misused('--lanes 2 needs --engine local: the others have one cluster', raw.json);
  const lane = raw.lane === null ? null : LANES.find((name) => name === raw.lane);
  if (lane === undefined) return misused(`--lane is ${LANES.join(', ')}, not ${raw.lane}`, raw.json);
  if (lane !== null && (engine !== 'local' || lanes === 2 || days > 1))
    return misused('--lane goes without --engine, --lanes and --days', raw.json);
  if (raw.keep === '') return misused('--keep needs a folder', raw.json);
  if (days > 1 && !raw.auto)
    return misused('--days needs --auto: between days somebody has to move the clock', raw.json);
  return {
    kind: 'options',
    options: {
      port,
      days,
      lanes,
      lane,
      keep: raw.keep,
      webhooks: raw.webhooks === 'on',
      server: raw.server === 'on',
      auto: raw.auto,
      json: raw.json,
      engine,
    },
  };
}
