/** Processes a job's log lines: masks secrets, executes workflow commands, collects annotations. */

import { actions } from '../../limits/limits.ts';
import type { Masks } from './masks.ts';
import type { Annotation } from './runner-types.ts';
import { createCommandReader, type LogCommand, type ReadLine } from './workflow-commands.ts';

export type JobOutput = {
  /** Logs a line of the runner itself; workflow commands in it are ignored. */
  readonly say: (line: string) => void;
  /** Logs an error of the runner: a line and an annotation. This does not fail the job. */
  readonly note: (message: string) => void;
  /** Creates a reader for one step's output. */
  readonly step: () => StepOutput;
  readonly annotations: readonly Annotation[];
};

type StepOutput = {
  readonly onLine: (line: string) => void;
  /**
   * Logs an error of the runner about this step. It is never parsed as a command and counts as one of the step's
   * annotations.
   */
  readonly note: (message: string) => void;
  /** The error message if a refused command failed the step, or null. */
  readonly problem: () => string | null;
  /** Outputs that the step set with `::set-output`, which GitHub still accepts from any line of a log. */
  readonly outputs: () => Readonly<Record<string, string>>;
  readonly state: () => Readonly<Record<string, string>>;
};

/**
 * Refused because any untrusted log could change the steps after it (actions/runner, Constants:
 * UnsupportedCommandMessageDisabled).
 */
const REFUSED: Readonly<Record<string, string>> = { 'set-env': 'GITHUB_ENV', 'add-path': 'GITHUB_PATH' };

/** actions/runner, Constants.Runner.UnsupportedStopCommandTokenDisabled. */
const BAD_STOP =
  "You cannot use a endToken that is an empty string, the string 'pause-logging', or another workflow command.";

export function createJobOutput(masks: Masks, log: (line: string) => void): JobOutput {
  const annotations: Annotation[] = [];
  const logMasked = (line: string): void => log(masks.apply(line));
  return {
    say: logMasked,
    note: (message) => {
      logMasked(`##[error]${message}`);
      annotations.push(toAnnotation('failure', plainCommand('error', message), masks));
    },
    annotations,
    step: () => stepOutput(masks, logMasked, annotations),
  };
}

function stepOutput(masks: Masks, logMasked: (line: string) => void, annotations: Annotation[]): StepOutput {
  const read = createCommandReader();
  const noted = { notice: 0, warning: 0, failure: 0 };
  const outputs: Record<string, string> = {};
  const state: Record<string, string> = {};
  let problem: string | null = null;
  const keep = (level: Annotation['level'], command: LogCommand): void => {
    // The number of annotations per level is limited (actions/runner, ExecutionContext: the maximum of issues).
    if (noted[level] >= actions.annotationsPerStep) return;
    noted[level] += 1;
    annotations.push(toAnnotation(level, command, masks));
  };
  const annotate = (level: Annotation['level'], command: LogCommand): void => {
    const word = level === 'failure' ? 'error' : level;
    for (const [index, line] of command.message.split('\n').entries())
      logMasked(index === 0 ? `##[${word}]${line}` : line);
    keep(level, command);
  };
  const note = (message: string): void => annotate('failure', plainCommand('error', message));
  const onLine = (line: string): void => {
    const seen = read(line);
    const refused = seen.kind === 'text' ? null : describeRefusal(seen);
    if (seen.kind === 'text') logMasked(line);
    else if (refused !== null) {
      problem = refused;
      note(refused);
    } else if (seen.kind === 'command')
      executeCommand(seen.command, line, { say: logMasked, annotate, mask: masks.add, outputs, state });
  };
  return { onLine, note, problem: () => problem, outputs: () => outputs, state: () => state };
}

/** Why the runner does not execute the command, or null. */
function describeRefusal(seen: Exclude<ReadLine, { kind: 'text' }>): string | null {
  if (seen.kind === 'bad-stop') return BAD_STOP;
  const { command, properties } = seen.command;
  if ((command === 'set-output' || command === 'save-state') && (properties['name'] ?? '') === '')
    return `Required field 'name' is missing in ##[${command}] command.`;
  const file = REFUSED[command];
  if (file === undefined) return null;
  return `The \`${command}\` command is disabled. Please use the environment file ${file} instead.`;
}

type Executor = {
  readonly say: (line: string) => void;
  readonly annotate: (level: Annotation['level'], command: LogCommand) => void;
  readonly mask: (secret: string) => void;
  readonly outputs: Record<string, string>;
  readonly state: Record<string, string>;
};

/**
 * GitHub postponed the removal of these commands and warns instead (actions/runner, Constants:
 * UnsupportedCommandMessage).
 */
const deprecated = (command: string): LogCommand =>
  plainCommand(
    'warning',
    `The \`${command}\` command is deprecated and will be disabled soon. Please upgrade to using Environment Files. For more information see: https://github.blog/changelog/2022-10-11-github-actions-deprecating-save-state-and-set-output-commands/`,
  );

function plainCommand(command: string, message: string): LogCommand {
  return { command, properties: {}, message };
}

function executeCommand(command: LogCommand, line: string, executor: Executor): void {
  switch (command.command) {
    case 'add-mask':
      if (command.message.trim() === '') {
        executor.say("##[warning]Can't add secret mask for empty string in ##[add-mask] command.");
        break;
      }
      executor.mask(command.message);
      executor.say('::add-mask::***');
      break;
    case 'error':
      executor.annotate('failure', command);
      break;
    case 'warning':
    case 'notice':
      executor.annotate(command.command, command);
      break;
    case 'set-output':
      executor.annotate('warning', deprecated(command.command));
      executor.outputs[command.properties['name'] ?? ''] = command.message;
      break;
    case 'save-state':
      executor.annotate('warning', deprecated(command.command));
      executor.state[command.properties['name'] ?? ''] = command.message;
      break;
    case 'group':
      executor.say(`##[group]${command.message}`);
      break;
    case 'endgroup':
      executor.say('##[endgroup]');
      break;
    case 'debug':
    case 'echo':
      break;
    default:
      executor.say(line);
  }
}

function toAnnotation(level: Annotation['level'], command: LogCommand, masks: Masks): Annotation {
  const { title, file, line, endLine, col, endColumn } = command.properties;
  return {
    level,
    message: masks.apply(command.message),
    title: title === undefined ? null : masks.apply(title),
    path: file ?? null,
    line: numberOrNull(line),
    endLine: numberOrNull(endLine),
    column: numberOrNull(col),
    endColumn: numberOrNull(endColumn),
  };
}

function numberOrNull(text: string | undefined): number | null {
  if (text === undefined || !/^\d+$/.test(text)) return null;
  return Number(text);
}
