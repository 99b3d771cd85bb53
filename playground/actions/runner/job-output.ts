/** Where a job's lines go: masked, workflow commands carried out, annotations kept. */

import { actions } from '../../limits/limits.ts';
import type { Masks } from './masks.ts';
import type { Annotation } from './runner-types.ts';
import { createCommandReader, type LogCommand, type ReadLine } from './workflow-commands.ts';

export type JobOutput = {
  /** The runner's own words; no commands are looked for. */
  readonly say: (line: string) => void;
  /** The runner's own complaint: a line and an annotation, which alone fails nothing. */
  readonly note: (message: string) => void;
  /** A reader for one step's output. */
  readonly step: () => StepOutput;
  readonly annotations: readonly Annotation[];
};

type StepOutput = {
  readonly onLine: (line: string) => void;
  /** What a refused command did to the step, or null. */
  readonly problem: () => string | null;
};

/** Commands that wrote into the runner from plain output; refused since any untrusted log could use them. */
const REFUSED: Readonly<Record<string, string>> = {
  'set-env': 'GITHUB_ENV',
  'add-path': 'GITHUB_PATH',
  'set-output': 'GITHUB_OUTPUT',
  'save-state': 'GITHUB_STATE',
};

/** actions/runner, Constants.Runner.UnsupportedStopCommandTokenDisabled. */
const BAD_STOP =
  "You cannot use a endToken that is an empty string, the string 'pause-logging', or another workflow command.";

export function createJobOutput(masks: Masks, log: (line: string) => void): JobOutput {
  const annotations: Annotation[] = [];
  const say = (line: string): void => log(masks.apply(line));
  return {
    say,
    note: (message) => {
      say(`##[error]${message}`);
      annotations.push(toAnnotation('failure', { command: 'error', properties: {}, message }, masks));
    },
    annotations,
    step: () => {
      const read = createCommandReader();
      let problem: string | null = null;
      let noted = 0;
      const annotate = (level: Annotation['level'], command: LogCommand): void => {
        const word = level === 'failure' ? 'error' : level;
        for (const [index, line] of command.message.split('\n').entries()) {
          say(index === 0 ? `##[${word}]${line}` : line);
        }
        if (noted >= actions.annotationsPerStep) return;
        noted += 1;
        annotations.push(toAnnotation(level, command, masks));
      };
      const onLine = (line: string): void => {
        const seen = read(line);
        const refused = seen.kind === 'text' ? null : refusalOf(seen);
        if (seen.kind === 'text') say(line);
        else if (refused !== null || seen.kind === 'bad-stop') {
          problem = refused;
          say(`##[error]${problem}`);
        } else carryOut(seen.command, line, { say, annotate, mask: masks.add });
      };
      return { onLine, problem: () => problem };
    },
  };
}

/** Why the runner does not carry it out, or null. */
function refusalOf(seen: Exclude<ReadLine, { kind: 'text' }>): string | null {
  if (seen.kind === 'bad-stop') return BAD_STOP;
  const { command } = seen.command;
  const file = REFUSED[command];
  if (file === undefined) return null;
  return `The \`${command}\` command is disabled. Please use the environment file ${file} instead.`;
}

type Hands = {
  readonly say: (line: string) => void;
  readonly annotate: (level: Annotation['level'], command: LogCommand) => void;
  readonly mask: (secret: string) => void;
};

function carryOut(command: LogCommand, line: string, hands: Hands): void {
  switch (command.command) {
    case 'add-mask':
      if (command.message.trim() === '') {
        hands.say("##[warning]Can't add secret mask for empty string in ##[add-mask] command.");
        break;
      }
      hands.mask(command.message);
      hands.say('::add-mask::***');
      break;
    case 'error':
      hands.annotate('failure', command);
      break;
    case 'warning':
    case 'notice':
      hands.annotate(command.command, command);
      break;
    case 'group':
      hands.say(`##[group]${command.message}`);
      break;
    case 'endgroup':
      hands.say('##[endgroup]');
      break;
    case 'debug':
    case 'echo':
      break;
    default:
      hands.say(line);
  }
}

function toAnnotation(level: Annotation['level'], command: LogCommand, masks: Masks): Annotation {
  const { title, file, line, endLine } = command.properties;
  return {
    level,
    message: masks.apply(command.message),
    title: title === undefined ? null : masks.apply(title),
    path: file ?? null,
    line: numberOrNull(line),
    endLine: numberOrNull(endLine),
  };
}

function numberOrNull(text: string | undefined): number | null {
  if (text === undefined || !/^\d+$/.test(text)) return null;
  return Number(text);
}
