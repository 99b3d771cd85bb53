/** The hosted Actions minutes of a lab for a month, from the triggers and the conditions of the example workflows. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluateCondition } from '../../packages/playground/actions/expressions/evaluate.ts';
import { nextDueMs } from '../../packages/playground/actions/workflow/due-times.ts';
import { matchesTrigger } from '../../packages/playground/actions/workflow/matches-trigger.ts';
import { parseWorkflow } from '../../packages/playground/actions/workflow/parse-workflow.ts';
import type { WorkflowFile } from '../../packages/playground/actions/workflow/workflow-file.ts';
import type { Json } from '../../packages/playground/world/json.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/lab/.github/workflows');
const DAY_MS = 24 * 3_600_000;
const DAYS = 30;
/** A lab of three lanes, each with a ferry a day. */
const LANES = 3;
const COMMENTS = 200;
const COMMANDS = 20;

type Event = {
  readonly name: string;
  readonly payload: { readonly [key: string]: Json };
  /** The dispatched workflow file, or the name of the workflow that ended. */
  readonly workflow?: string;
  readonly timesADay: number;
};

const comment = (body: string): Event['payload'] => ({ action: 'created', comment: { body, user: { type: 'User' } } });

const EVENTS: readonly Event[] = [
  { name: 'issue_comment', payload: comment('/status'), timesADay: COMMANDS },
  { name: 'issue_comment', payload: comment('The loss is at 3.1 and/or falling.'), timesADay: COMMENTS - COMMANDS },
  { name: 'issues', payload: { action: 'labeled' }, timesADay: LANES },
  { name: 'workflow_dispatch', payload: {}, workflow: 'ferrybot-launch.yml', timesADay: LANES },
  { name: 'workflow_dispatch', payload: {}, workflow: 'ferrybot-watch.yml', timesADay: LANES },
  {
    name: 'workflow_run',
    payload: { action: 'completed', workflow_run: { conclusion: 'success' } },
    workflow: 'ferrybot launch',
    timesADay: LANES,
  },
];

/** Minutes a month by workflow file. */
export type Minutes = ReadonlyMap<string, number>;

/** GitHub bills a whole minute for each hosted job that it starts; no job of ferrybot takes longer on average. */
export function minutesOf(hasServer: boolean): Minutes {
  return new Map(
    readdirSync(FOLDER).map((name) => {
      const file = parseWorkflow(name, readFileSync(join(FOLDER, name), 'utf8'));
      const jobs = [...scheduled(file), ...EVENTS.filter((event) => isStartedBy(file, name, event))].map(
        (event) => event.timesADay * hostedJobs(file, event, hasServer),
      );
      return [name, DAYS * jobs.reduce((sum, one) => sum + one, 0)];
    }),
  );
}

/** All minutes of a month. */
export function totalOf(minutes: Minutes): number {
  return [...minutes.values()].reduce((sum, one) => sum + one, 0);
}

function scheduled({ triggers }: WorkflowFile): readonly Event[] {
  return triggers.schedule.map((line) => {
    let timesADay = 0;
    for (let at = nextDueMs(line, 0); at !== null && at <= DAY_MS; at = nextDueMs(line, at)) timesADay += 1;
    return { name: 'schedule', payload: { schedule: line }, timesADay };
  });
}

function isStartedBy({ triggers }: WorkflowFile, file: string, { name, payload, workflow }: Event): boolean {
  if (name === 'workflow_dispatch') return workflow === file;
  const action = typeof payload['action'] === 'string' ? payload['action'] : null;
  return matchesTrigger(triggers, {
    ...{ name, action, ref: null, changedPaths: null },
    workflowName: workflow ?? null,
  });
}

function hostedJobs(file: WorkflowFile, { name, payload }: Event, hasServer: boolean): number {
  const contexts = {
    github: { event_name: name, event: payload },
    vars: { FERRYBOT_SERVER: hasServer ? 'on' : '', FERRYBOT_DISK_CLUSTERS: 'all' },
    inputs: {},
  };
  return file.jobs.filter(
    (job) =>
      !job.runsOn.includes('self-hosted') &&
      evaluateCondition(job.if, { contexts, status: 'success', hashFiles: null }),
  ).length;
}

/** The table of README. */
export function minutesTable(): string {
  const [alone, withServer] = [minutesOf(false), minutesOf(true)];
  const rows = [...alone].flatMap(([name, minutes]) => {
    const others = withServer.get(name) ?? 0;
    return minutes + others === 0 ? [] : [`| \`${name}\` | ${shown(minutes)} | ${shown(others)} |`];
  });
  const total = `| **all** | **${shown(totalOf(alone))}** | **${shown(totalOf(withServer))}** |`;
  const head = '| hosted minutes a month | workflows only | with `ferrybot serve` |\n| --- | ---: | ---: |';
  return `${[head, ...rows, total].join('\n')}\n`;
}

function shown(minutes: number): string {
  return minutes.toLocaleString('en-US');
}

const BLOCK = /(<!-- minutes: made by scripts\/minutes-docs\.ts -->\n\n).*?(\n<!-- end -->)/s;

/** README with the current table; throws if it has no place for it. */
export function withTable(readme: string): string {
  if (!BLOCK.test(readme)) throw new Error('README has no place for the table of minutes');
  return readme.replace(BLOCK, (_, start: string, end: string) => `${start}${minutesTable()}${end}`);
}
